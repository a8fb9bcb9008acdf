import { duel } from '@riposte/shared/games';
import { describe, expect, it } from 'vitest';
import { seededBot } from '../../client/src/input/bot.js';
import type { Channel } from '../../client/src/transport/transport.js';
import { mixerInput } from '../../shared/testing/mixer.js';
import { sparks } from '../../shared/testing/sparks.js';
import { AuthorityWorld } from '../simulation/authority-world.js';
import { largeGame } from '../simulation/large-game.js';
import { Luck } from '../simulation/luck.js';

const ROUGH = { delayMs: 40, jitterMs: 8, lossRate: 0.05 };

/** Where an update has the length of its state, and how many frames before its own the state is that it differs from. */
const STATE_AT = 17;
const BASE_AT = 21;

/** Lets `see` have, and change, all that goes to or comes from a player; both are copies. */
function tap<S, I>(world: AuthorityWorld<S, I>, player: number, see: (channel: Channel, bytes: Uint8Array) => void) {
  for (const end of world.clients[player]!.ends!) {
    const send = end.send.bind(end);
    end.send = (channel, bytes) => {
      const copy = bytes.slice();
      see(channel, copy);
      return send(channel, copy);
    };
  }
}

const isUpdate = (channel: Channel, bytes: Uint8Array) => channel === 'unreliable' && bytes[0] === 2;

describe('the state in an update', () => {
  it('is its difference from one that the client has said it holds, and the whole where there is none', () => {
    const inputs = [seededBot(duel.input, 11), seededBot(duel.input, 22)];
    const world = new AuthorityWorld({ game: duel, links: [ROUGH], inputs });
    const whole = duel.state.encode(duel.state.create()).length;
    const sizes: number[] = [];
    const bases: number[] = [];
    const watch = () =>
      tap(world, 0, (channel, bytes) => {
        if (!isUpdate(channel, bytes)) return;
        sizes.push(bytes[STATE_AT]! | (bytes[STATE_AT + 1]! << 8));
        bases.push(bytes[BASE_AT]!);
      });
    watch();
    world.run(12_000);
    expect(sizes.reduce((sum, size) => sum + size, 0) / sizes.length).toBeLessThan(whole / 2);
    // The acknowledgement is a round trip old, and updates are lost.
    expect(Math.max(...bases.slice(5))).toBeGreaterThan(8);
    expect(Math.max(...bases)).toBeLessThan(60);

    sizes.length = 0;
    world.reload(0);
    watch();
    world.run(1000);
    expect(sizes[0]).toBe(whole);
    expect(sizes.at(-1)).toBeLessThan(whole);
    expect(world.clients[0]!.session.figures!.statesTaken).toBe(1);
  });

  it('brings a page that heard nothing for a while to the present of a state that fits no datagram, without its pieces', () => {
    const inputs = [seededBot(mixerInput, 11), seededBot(mixerInput, 22)];
    const world = new AuthorityWorld({ game: largeGame, inputs, links: [{ delayMs: 40, jitterMs: 2, lossRate: 0 }] });
    world.run(3000);
    let pieces = 0;
    tap(world, 0, (channel, bytes) => {
      if (channel === 'reliable' && bytes[0] === 0) pieces++;
    });
    world.setLink(0, { delayMs: 40, jitterMs: 0, lossRate: 1 });
    // For longer than the inputs of one update reach back.
    world.run(1500);
    world.setLink(0, ROUGH);
    world.run(1000);
    const { session } = world.clients[0]!;
    expect(session.figures!.statesTaken).toBeGreaterThan(0);
    expect(pieces).toBe(0);
    expect(session.sim!.hashAt(session.authorityFrame)).toBe(world.authority.sim.hashAt(session.authorityFrame));
  });
});

describe('an authority and its clients', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'throw at nothing that arrives changed on its way, and agree afterwards (seed %i)',
    (seed) => {
      const inputs = [seededBot(mixerInput, 11), seededBot(mixerInput, 22)];
      const world = new AuthorityWorld({ game: sparks, inputs, links: [ROUGH], seed });
      const luck = new Luck(seed, 1);
      let isRough = false;
      let changed = 0;
      world.run(2000);
      for (const player of [0, 1]) {
        tap(world, player, (channel, bytes) => {
          if (!isRough || channel === 'reliable' || luck.unit() > 0.3) return;
          changed++;
          for (let flips = 1 + Math.floor(luck.unit() * 3); flips > 0; flips--) {
            const at = Math.floor(luck.unit() * bytes.length);
            bytes[at] = bytes[at]! ^ (1 << Math.floor(luck.unit() * 8));
          }
        });
      }
      isRough = true;
      world.run(4000);
      isRough = false;
      expect(changed).toBeGreaterThan(100);
      world.run(3000);
      for (const { session, ended } of world.clients) {
        expect(ended).toBeUndefined();
        const frame = session.authorityFrame;
        expect(frame).toBeGreaterThan(world.authority.frame - 30);
        expect(session.sim!.hashAt(frame)).toBe(world.authority.sim.hashAt(frame));
      }
    },
  );
});
