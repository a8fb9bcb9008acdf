import type { MatchStatus } from '../match/match.js';
import type { Route } from '../transport/transport.js';
import type { Table } from './table.js';

/** What debugging and automation hold on to: always there, whatever the page shows. */
export interface Automation {
  status(): MatchStatus;
  /** The hash of `stateAt(frame)`. Throws when there is no match, or it does not keep that frame. */
  hashAt(frame: number): number;
  /** The state before a recent confirmed frame. Throws as `hashAt` does. */
  stateAt(frame: number): unknown;
  /** The recording so far, as the bytes of an `.rpl` file. */
  recording(): Promise<Uint8Array>;
  /** The report of a match that parted, as the bytes of an `.rpr` file. */
  report(): Promise<Uint8Array>;
  /** Which way the match's packets take. */
  route(): Promise<Route | null>;
}

declare global {
  var riposte: Automation;
}

export function expose(table: Table): void {
  const match = () => {
    const { match } = table.view;
    if (match === null) throw new Error(`There is no match yet: its phase is ${table.status().phase}.`);
    return match;
  };
  globalThis.riposte = {
    status: () => table.status(),
    hashAt: (frame) => match().hashAt(frame),
    stateAt: (frame) => match().stateAt(frame),
    recording: async () => match().recording(),
    report: async () => match().report(),
    route: async () => match().route(),
  };
}
