import { describe, expect, it } from 'vitest';
import * as party from '../../client/src/session/party.js';
import { Session } from '../../client/src/session/session.js';
import type { SessionEvent } from '../../client/src/session/session-types.js';
import { mixer } from '../../shared/testing/mixer.js';

const FRAME_MS = 1000 / 60;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Players whose messages arrive at the next frame, each connected to another when the test says so. */
class Table {
  readonly events: SessionEvent[][] = [];
  readonly sessions: Session<unknown, unknown>[];
  #nowMs = 0;
  #underWay: (() => void)[] = [];

  /** `rewrite` may change what a player says on the reliable channel. */
  constructor(players: number, rewrite = (_player: number, text: string): string => text) {
    this.sessions = Array.from({ length: players }, (_, me) => {
      const events: SessionEvent[] = [];
      this.events.push(events);
      const options = { game: mixer, me, players, party, name: `P${me + 1}`, seed: 1, inputDelay: 1 };
      return new Session<unknown, unknown>(options, {
        send: (player, channel, bytes) => {
          const isText = channel === 'reliable';
          const copy = isText ? encoder.encode(rewrite(me, decoder.decode(bytes))) : bytes.slice();
          this.#underWay.push(() => this.sessions[player]!.receive(this.#nowMs, me, channel, copy));
        },
        event: (event) => events.push(event),
      });
    });
  }

  connect(one: number, other: number): void {
    this.sessions[one]!.open(this.#nowMs, other);
    this.sessions[other]!.open(this.#nowMs, one);
  }

  run(ms: number, isStopped: (player: number) => boolean = () => false): void {
    for (const endMs = this.#nowMs + ms; this.#nowMs < endMs; this.#nowMs += FRAME_MS) {
      for (const arrive of this.#underWay.splice(0)) arrive();
      for (const [player, session] of this.sessions.entries()) {
        if (isStopped(player)) continue;
        for (let due = session.dueTicks(this.#nowMs); due > 0; due--) session.tick(this.#nowMs, {});
      }
    }
  }

  types(player: number): string[] {
    return this.events[player]!.map(({ type }) => type);
  }
}

describe('the opening of a match', () => {
  it('waits for a connection that takes long, also for longer than a hello may stay unanswered', () => {
    const table = new Table(3);
    table.connect(0, 1);
    table.connect(0, 2);
    table.run(15_000);
    expect([0, 1, 2].map((player) => table.types(player))).toEqual([[], [], []]);
    table.connect(1, 2);
    table.run(2000);
    for (const player of [0, 1, 2]) {
      expect(table.types(player).filter((type) => type !== 'presence')).toEqual(['running']);
    }
    expect(table.sessions[0]!.driver!.checker.newest).toBeGreaterThan(60);
  });

  it('ends where a hello stays unanswered', () => {
    const table = new Table(2);
    table.sessions[0]!.open(0, 1);
    table.run(11_000);
    expect(table.events[0]!.at(-1)).toMatchObject({ type: 'ended', cause: 'lost' });
  });

  it.each([[1], [0]])(
    'is refused in the same words where player %i has a later release, whose hello has other fields',
    (later) => {
      const table = new Table(2, (player, text) =>
        player === later && text.startsWith('{"type":"hello","wire":1,')
          ? '{"type":"hello","wire":7,"something":"else"}'
          : text,
      );
      table.connect(0, 1);
      table.run(100);
      const wires = later === 1 ? '1 and 7' : '7 and 1';
      for (const events of table.events) {
        expect(events).toEqual([
          {
            type: 'ended',
            cause: 'refused',
            message: expect.stringContaining(`wire versions ${wires}): reload both pages`),
          },
        ]);
      }
    },
  );

  it('drops a hello of this release that is none', () => {
    const table = new Table(2, (player, text) => (player === 1 ? text.replace('"game":', '"gamme":') : text));
    table.connect(0, 1);
    table.run(100);
    expect(table.events).toEqual([[], []]);
    expect(table.sessions[0]!.droppedPackets).toBeGreaterThan(0);
  });

  it('tells of a page that was hidden before it: silent, it counts as inactive', () => {
    const table = new Table(2);
    table.sessions[1]!.setHidden(true);
    table.connect(0, 1);
    table.run(2000);
    expect(table.sessions[0]!.presenceOf(1)).toBe('here');
    table.run(1000, (player) => player === 1);
    expect(table.sessions[0]!.presenceOf(1)).toBe('inactive');
  });

  it('forgets that a page was hidden when another one takes its place', () => {
    const table = new Table(2);
    table.sessions[1]!.setHidden(true);
    table.connect(0, 1);
    table.run(2000);
    table.sessions[1]!.setHidden(false);
    table.connect(0, 1);
    table.run(1000, (player) => player === 1);
    expect(table.sessions[0]!.presenceOf(1)).toBe('interrupted');
  });
});
