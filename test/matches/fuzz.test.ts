import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Random } from '@riposte/shared';
import { duel } from '@riposte/shared/games';
import { describe, expect, it } from 'vitest';
import { seededBot } from '../../client/src/input/bot.js';
import { ConditionedTransport } from '../../client/src/transport/conditions.js';
import type { Channel } from '../../client/src/transport/transport.js';
import { mixerInput } from '../../shared/testing/mixer.js';
import { Pair } from '../simulation/pair.js';
import { Party } from '../simulation/party.js';
import { partyGame } from '../simulation/party-game.js';

/** `FUZZ_PACKETS=1000000` tries as many; the suite has no time for them at every run. */
const PACKETS = Number(process.env['FUZZ_PACKETS'] ?? 60_000);
/** Of them to a match of three. */
const PARTY_PACKETS = PACKETS / 4;
/** Messages to one session at the most; one that was refused gets no more. */
const PACKETS_PER_MATCH = 4000;
/** What one match may hold more or less than another. */
const HEAP_GROWTH_MAX = 8 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

interface Message {
  readonly channel: Channel;
  readonly bytes: Uint8Array;
}

/** A running match, and what its peers have sent each other. */
function runningMatch(seed: number): { pair: ReturnType<typeof newPair>; sent: Message[] } {
  const sent: Message[] = [];
  const send = ConditionedTransport.prototype.send;
  ConditionedTransport.prototype.send = function (channel, bytes) {
    if (sent.length < 2000) sent.push({ channel, bytes: bytes.slice() });
    send.call(this, channel, bytes);
  };
  const pair = newPair(seed);
  pair.run(300 + (seed % 7) * 100);
  ConditionedTransport.prototype.send = send;
  return { pair, sent };
}

function newPair(seed: number) {
  return new Pair({
    game: duel,
    link: { delayMs: 40, jitterMs: 15, lossRate: 0.05 },
    inputs: [seededBot(duel.input, seed), seededBot(duel.input, seed + 1)],
    seed,
  });
}

/** Another message made of a real one, or of nothing. */
function mutate(message: Message, luck: Random): Message {
  const channel = luck.below(12) === 0 ? 'reliable' : message.channel;
  if (luck.below(10) === 0) {
    const bytes = Uint8Array.from({ length: luck.below(80) }, () => luck.below(256));
    if (luck.below(2) === 0 && bytes.length > 0) bytes[0] = 0x20;
    return { channel, bytes };
  }
  let bytes = message.bytes.slice();
  for (let change = luck.below(4); change >= 0; change--) {
    const kind = luck.below(4);
    if (kind === 0 && bytes.length > 0) bytes[luck.below(bytes.length)] = luck.below(256);
    else if (kind === 1 && bytes.length > 0) bytes[luck.below(bytes.length)]! ^= 1 << luck.below(8);
    else if (kind === 2) bytes = bytes.slice(0, luck.below(bytes.length + 1));
    else bytes = Uint8Array.from([...bytes, ...Array.from({ length: luck.below(20) }, () => luck.below(256))]);
  }
  return { channel, bytes };
}

describe('a running session', () => {
  it(`takes ${PACKETS} mutated and random messages without a throw, a change of what is final, or growth`, () => {
    const luck = new Random(new Int32Array(2), 0);
    luck.seed(20_261);
    let dropped = 0;
    let refused = 0;
    runningMatch(1);
    const heapBefore = heapBytes();
    let matches = 0;
    for (let done = 0; done < PACKETS; matches++) {
      const { pair, sent } = runningMatch(matches + 1);
      const [{ session }] = pair.peers;
      const { checker } = session.driver!;
      const final = checker.newest;
      const chain = checker.chainOf(final);
      const state = session.sim!.hashAt(final + 1);
      for (let packet = 0; packet < PACKETS_PER_MATCH && pair.peers[0].ended === undefined; packet++, done++) {
        const { channel, bytes } = mutate(sent[luck.below(sent.length)]!, luck);
        session.receive(pair.clock.nowMs, 1, channel, bytes);
        if (packet % 500 === 499) pair.run(20);
      }
      expect(final).toBeGreaterThanOrEqual(3);
      expect(checker.chainOf(final)).toBe(chain);
      expect(checker.newest).toBeGreaterThanOrEqual(final);
      if (checker.newest === final) expect(session.sim!.hashAt(final + 1)).toBe(state);
      dropped += session.droppedPackets;
      if (pair.peers[0].ended !== undefined) refused++;
    }
    expect(matches).toBeGreaterThan(10);
    expect(dropped).toBeGreaterThan(PACKETS / 4);
    expect(heapBytes() - heapBefore).toBeLessThan(HEAP_GROWTH_MAX);
    expect(refused).toBeGreaterThan(0);
  });

  it(`of three takes ${PARTY_PACKETS} of them as from one of the others, also of third seats`, () => {
    const luck = new Random(new Int32Array(2), 0);
    luck.seed(99);
    const heapBefore = heapBytes();
    let dropped = 0;
    let matches = 0;
    for (let done = 0; done < PARTY_PACKETS; matches++) {
      const sent: Message[] = [];
      const send = ConditionedTransport.prototype.send;
      ConditionedTransport.prototype.send = function (channel, bytes) {
        if (sent.length < 2000) sent.push({ channel, bytes: bytes.slice() });
        send.call(this, channel, bytes);
      };
      const party = new Party({
        game: partyGame,
        players: 3,
        seed: matches + 1,
        link: { delayMs: 30, jitterMs: 10, lossRate: 0.05 },
        input: (player) => seededBot(mixerInput, matches * 3 + player),
      });
      party.run(500);
      // Packets that carry a third one's inputs, and words about a seat that is lost.
      party.silence(2, 0);
      if (matches % 2 === 0) party.kill(2);
      party.run(6500);
      ConditionedTransport.prototype.send = send;
      const { session } = party.peers[0]!;
      const { running } = session;
      const final = running!.driver.checker.newest;
      const chain = running!.driver.checker.chainOf(final);
      for (let packet = 0; packet < PACKETS_PER_MATCH && party.peers[0]!.ended === undefined; packet++, done++) {
        const { channel, bytes } = mutate(sent[luck.below(sent.length)]!, luck);
        session.receive(party.clock.nowMs, 1, channel, bytes);
        if (packet % 500 === 499) party.run(20);
      }
      // A word of one other may make this side ask for the match again; what was final stays as it was.
      expect(final).toBeGreaterThan(30);
      expect(running!.driver.checker.chainOf(final)).toBe(chain);
      dropped += session.droppedPackets;
    }
    expect(matches).toBeGreaterThan(1);
    expect(dropped).toBeGreaterThan(PARTY_PACKETS / 5);
    expect(heapBytes() - heapBefore).toBeLessThan(HEAP_GROWTH_MAX);
  });

  it('refuses a peer that changes an input it had sent, with a reason on both sides', () => {
    const { pair, sent } = runningMatch(1);
    const [{ session }, other] = pair.peers;
    const from = sent.filter(
      ({ channel, bytes }) => channel === 'unreliable' && bytes.length > 12 && bytes[5]! >> 6 !== 0,
    );
    for (const { bytes } of from.slice(-40)) {
      const lie = bytes.slice();
      lie[lie.length - 1]! ^= 1;
      session.receive(pair.clock.nowMs, 1, 'unreliable', lie);
    }
    pair.run(500);
    expect(pair.peers[0].ended).toMatchObject({
      cause: 'peer-fault',
      message: expect.stringContaining('changed an input'),
    });
    expect(other.ended?.message).toMatch(/\.$/);
  });
});
