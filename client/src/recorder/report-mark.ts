/** Marks a reliable message as a piece of a peer's recording, for a report; text begins with a brace, and state with 0. */
export const REPORT_MARK = 1;
