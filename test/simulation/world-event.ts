import type { Channel } from '../../client/src/transport/transport.js';
import type { Machine } from './machine.js';

const NO_BYTES = new Uint8Array(0);

type Kind =
  | 'draw'
  | 'wake'
  | 'packet'
  | 'message'
  | 'pause'
  | 'open'
  | 'delay'
  | 'cut'
  | 'depart'
  | 'leave'
  | 'return'
  | 'reopen'
  | 'heal'
  | 'level'
  | 'probe'
  | 'calm-end'
  | 'close';

/** Something that is to happen in a simulated world; a message, where it is one that arrives. */
export class WorldEvent {
  atMs = 0;
  order = 0;
  readonly kind: Kind;
  /** The connection's end, behind all that was sent over it. */
  readonly isClose: boolean;
  /** That end was not the other side's doing. */
  isCut = false;
  readonly machine: Machine;
  /** The sender, as `machine` is the receiver. */
  from: Machine;
  channel: Channel = 'unreliable';
  bytes: Uint8Array = NO_BYTES;
  length = 0;
  /** The newest frame of the sender's inputs when it was sent, as the sender's own log has it. */
  newest = -1;
  /** The connection that it comes over, and what the sender's session calls it. */
  connection = 0;
  epoch = 0;
  /** How often the sender had begun to play. */
  life = 0;
  /** The end of a pause, a new input delay, which cut or departure it is, or which of its lives a machine draws in. */
  value = 0;

  constructor(kind: Kind, machine: Machine, from: Machine = machine) {
    this.kind = kind;
    this.isClose = kind === 'close';
    this.machine = machine;
    this.from = from;
  }
}

const decoder = new TextDecoder();

/** What a message is, for people. */
export function nameOf({ kind, newest, from, bytes, length }: WorldEvent): string {
  if (kind === 'close') return `the end of the connection, by ${from.me}`;
  if (kind === 'packet') return `frames up to ${newest} of ${from.me}`;
  return `${decoder.decode(bytes.subarray(0, Math.min(length, 120)))} of ${from.me}`;
}
