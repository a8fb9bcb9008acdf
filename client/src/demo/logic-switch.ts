/** Whether pictures show where the logic has things, beside where they are drawn. Off when the page opens. */
export const logicSwitch = { isOn: false };
