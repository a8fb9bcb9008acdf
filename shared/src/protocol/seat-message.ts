import * as v from 'valibot';
import { list } from './checks.js';
import { frame, message, parseMessage, player, word } from './messages.js';

/**
 * Steps by which those who are left agree that a seat is lost, or is taken again: see `Seats`. The last two are of one whose
 * states parted from player 0's: see `Resync`.
 */
const seatSteps = [
  'left',
  'freeze',
  'held',
  'thaw',
  'drop',
  'have',
  'gone',
  'ready',
  'admit',
  'late',
  'settled',
  'enter',
  'parted',
  'mended',
] as const;

/**
 * What a player says of a seat, in a match of more than two. Everybody passes it on to everybody once, so that it
 * arrives where the sender has no link to.
 */
const seat = message('seat', {
  from: player,
  /** Grows with each message of the sender. */
  serial: word,
  step: v.picklist(seatSteps),
  seat: player,
  /** The attempt that this belongs to; 0 for none. */
  round: word,
  /**
   * The step's frame: the seat's last one, or the first of one that returns; where its states parted, or the last whose
   * hash it told before it was given player 0's; -1 for none.
   */
  frame,
  /** In `held`: whether the sender hears the seat, or was told its last frame, or has taken it as gone already. */
  heard: v.optional(v.picklist(['silent', 'heard', 'dropping', 'gone'])),
  /** In `admit`: the seat's last frame before it was gone, for who missed that. */
  last: v.optional(frame),
  /** In `admit`: the seats that are not there, for who returns and missed that. */
  gone: v.optional(list(player, 8)),
  /** In `gone`: the seats that had no part in it, and have to go too. */
  cut: v.optional(list(player, 8)),
});

export type SeatMessage = v.InferOutput<typeof seat>;
export type SeatStep = SeatMessage['step'];

/** Reads what a player says of a seat; undefined for anything else. */
export function parseSeatMessage(text: string): SeatMessage | undefined {
  return parseMessage(seat, text);
}
