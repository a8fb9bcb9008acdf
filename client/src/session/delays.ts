/** Frames by which a local input may be delayed. */
export const INPUT_DELAY_MAX = 15;

/** How far behind the newest final frame a spectator may choose to watch, in frames: what a source keeps, with room. */
export const WATCH_DELAY_MAX = 600;
