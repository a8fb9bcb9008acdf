import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Harness, startHarness, TestPeer } from '../testing/harness.js';
import { create, duel, granted, join, type Member, pairings, refusal } from '../testing/members.js';
import { hasRedisServer, RedisServer } from '../testing/redis-server.js';
import { ServerProcess } from '../testing/server-process.js';
import { defaultConfig } from './config.js';

/** A server that is gone is noticed after five seconds of silence, by one that has been there for as long. */
const LOST_MS_MAX = 20_000;

const offer = { type: 'offer' as const, sdp: 'v=0' };

/** One address asks for everything here. */
const PLENTY = {
  joinsPerAddress: { points: 10_000, seconds: 60 },
  messagesPerAddress: { points: 100_000, seconds: 10 },
};

// Some of them start processes, and wait for the death of one to be noticed.
describe.skipIf(!hasRedisServer)('servers with the same Redis', { timeout: 90_000 }, () => {
  let redis: RedisServer;
  let running: { close(): Promise<void> }[];
  beforeEach(async () => {
    running = [];
    redis = await RedisServer.start();
  }, 30_000);
  afterEach(async () => {
    await Promise.all(running.map((each) => each.close()));
    await redis.stop();
  }, 30_000);

  async function startNode(): Promise<Harness> {
    const node = await startHarness({
      redisUrl: redis.url,
      connectionsPerAddressMax: 1000,
      drainS: 5,
      limits: { ...defaultConfig.limits, ...PLENTY },
    });
    running.push(node);
    return node;
  }

  /** A node in a process of its own. */
  async function startProcess(): Promise<{ node: ServerProcess; url: string }> {
    const node = new ServerProcess({ PORT: '0', REDIS_URL: redis.url, DRAIN_S: '20', MAX_PER_IP: '1000' });
    running.push({
      close: async () => {
        node.kill('SIGKILL');
        await node.exit;
      },
    });
    return { node, url: await node.url() };
  }

  async function take(url: string, event: 'create-room' | 'quick-match'): Promise<Member> {
    const peer = new TestPeer(url);
    running.push({ close: async () => void peer.socket.disconnect() });
    return { peer, grant: granted(await peer.request(event, duel)) };
  }

  const resume = async (node: Harness, { seat, secret }: Member['grant'], seen: [seat: string, pairing: number][]) => {
    const peer = node.peer();
    const known = seen.map(([other, pairing]) => ({ seat: other, pairing }));
    return { peer, reply: await peer.request('resume-seat', { seat, secret, pairings: known }) };
  };

  const signal = (from: Member, to: Member, pairing: number, sdp: string) =>
    from.peer.request('signal', { to: to.grant.seat, pairing, data: { type: 'offer', sdp } });

  it('pair players across them, carry their signals in order, and tell each of the other', async () => {
    const [one, two] = await Promise.all([startNode(), startNode()]);
    const ann = await create(one);
    const bob = await join(two, ann.grant.room, 'Bob');
    expect(await ann.peer.next('peer-joined')).toEqual({ seat: bob.grant.seat, player: 1, name: 'Bob' });
    expect(await pairings(ann, 1)).toEqual(new Map([[bob.grant.seat, { pairing: 1, initiator: true }]]));
    expect(await pairings(bob, 1)).toEqual(new Map([[ann.grant.seat, { pairing: 1, initiator: false }]]));
    const lines = Array.from({ length: 40 }, (_, index) => `v=${index}`);
    await Promise.all(lines.map((sdp) => signal(ann, bob, 1, sdp)));
    for (const sdp of lines) {
      expect(await bob.peer.next('signal')).toEqual({ from: ann.grant.seat, pairing: 1, data: { type: 'offer', sdp } });
    }
    bob.peer.socket.disconnect();
    expect(await ann.peer.next('peer-away')).toEqual({ seat: bob.grant.seat });
    await ann.peer.request('leave-room', {});
    expect(granted((await resume(two, bob.grant, [[ann.grant.seat, 1]])).reply).peers).toEqual([]);
  });

  it('give a seat back on another of them, and end the connection that held it, if that is dead', async () => {
    const [one, two] = await Promise.all([startNode(), startNode()]);
    const ann = await create(one);
    const bob = await join(two, ann.grant.room);
    await Promise.all([pairings(ann, 1), pairings(bob, 1)]);
    const known: [string, number][] = [[ann.grant.seat, 1]];
    expect((await resume(one, bob.grant, known)).reply).toMatchObject(refusal('seat-in-use'));
    expect(await signal(bob, ann, 1, 'v=0')).toEqual({ ok: true });

    const dead = two.peer({ alive: false });
    bob.peer.socket.disconnect();
    await ann.peer.next('peer-away');
    const { seat, secret } = bob.grant;
    const grant = granted(
      await dead.request('resume-seat', { seat, secret, pairings: [{ seat: ann.grant.seat, pairing: 1 }] }),
    );
    await ann.peer.next('peer-back');
    const ended = dead.disconnected();
    const again = await resume(one, grant, known);
    expect(granted(again.reply)).toMatchObject({ room: ann.grant.room, seat, player: 1 });
    expect(await dead.next('seat-taken')).toEqual({ room: ann.grant.room });
    await ended;
    expect(await signal({ ...again, grant }, ann, 1, 'v=1')).toEqual({ ok: true });
    expect(ann.peer.pending('peer-away')).toBe(0);
  });

  it('refuse in words a match over PeerJS, whose players would not find each other', async () => {
    const node = await startNode();
    for (const event of ['create-room', 'quick-match'] as const) {
      const reply = await node.peer().request(event, { ...duel, transport: 'peerjs' });
      expect(reply, event).toMatchObject({
        ok: false,
        error: { code: 'transport-unavailable', message: expect.stringContaining('several nodes') },
      });
    }
  });

  it('seat everybody who asks for a quick match at once, nobody twice', async () => {
    const nodes = await Promise.all([startNode(), startNode(), startNode()]);
    const members = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => take(nodes[index % nodes.length].url, 'quick-match')),
    );
    const told = await Promise.all(members.map(({ peer }) => peer.next('paired')));
    expect(new Set(told.map(({ peer }) => peer.seat)).size).toBe(60);
    for (const [index, { room, peer }] of told.entries()) {
      const other = members.findIndex(({ grant }) => grant.seat === peer.seat);
      expect(told[other]).toMatchObject({ room, peer: { seat: members[index].grant.seat } });
      expect(told[other].initiator).toBe(!told[index].initiator);
    }
    expect(members.map(({ peer }) => peer.pending('paired')).filter((count) => count > 0)).toEqual([]);
  });

  it('take over the players of one that is killed in the middle of pairing', async () => {
    const [one, doomed] = await Promise.all([startNode(), startProcess()]);
    const members = await Promise.all(Array.from({ length: 8 }, () => take(doomed.url, 'create-room')));
    // Half of them are just being joined.
    const joining = members.slice(0, 4).map(({ grant }) => join(one, grant.room));
    const guests = await Promise.all(joining);
    doomed.node.kill('SIGKILL');
    await doomed.node.exit;
    const back = await Promise.all(members.map(({ grant }) => resume(one, grant, [])));
    for (const [index, { reply }] of back.entries()) expect(granted(reply).room).toBe(members[index].grant.room);
    for (const [index, guest] of guests.entries()) {
      const host = { peer: back[index].peer, grant: granted(back[index].reply) };
      const { pairing } = await host.peer.next('paired');
      while ((await guest.peer.next('paired')).pairing !== pairing);
      expect(await signal(host, guest, pairing, 'v=0')).toEqual({ ok: true });
      expect((await guest.peer.next('signal')).data).toEqual(offer);
    }
    const late = await join(one, members[7].grant.room);
    expect((await late.peer.next('paired')).peer.seat).toBe(members[7].grant.seat);
  });

  it('notice that the players of one that was killed are away, if they do not come back', async () => {
    const [one, doomed] = await Promise.all([startNode(), startProcess()]);
    const host = await take(doomed.url, 'create-room');
    const guest = await join(one, host.grant.room);
    await guest.peer.next('paired');
    doomed.node.kill('SIGKILL');
    expect(await guest.peer.next('peer-away', LOST_MS_MAX)).toEqual({ seat: host.grant.seat });
    expect(await redis.connect().zcard('{riposte}:nodes')).toBe(1);
  });

  it('refuse in words while Redis is away, keep connections, and recover by themselves', async () => {
    const [one, two] = await Promise.all([startNode(), startNode()]);
    const ann = await create(one);
    const bob = await join(two, ann.grant.room);
    await Promise.all([pairings(ann, 1), pairings(bob, 1)]);
    const ready = async (node: Harness) => {
      const response = await fetch(`${node.url}/readyz`);
      return { status: response.status, body: await response.json() };
    };
    expect(await ready(one)).toEqual({ status: 200, body: { ready: true } });
    await redis.kill();
    expect(await ready(one)).toEqual({ status: 503, body: { ready: false, reason: 'store-away' } });
    expect((await fetch(`${one.url}/healthz`)).status).toBe(200);
    const cat = two.peer();
    const refused = await cat.request('create-room', duel);
    expect(refused).toMatchObject(refusal('store-away'));
    expect(refused).toMatchObject({ error: { message: expect.stringContaining('matches that run go on') } });
    expect(await signal(ann, bob, 1, 'v=0')).toMatchObject(refusal('store-away'));
    // One goes meanwhile, and nobody can be told.
    bob.peer.socket.disconnect();
    await redis.resume();
    await expect.poll(() => ready(two), { timeout: 10_000 }).toEqual({ status: 200, body: { ready: true } });
    await expect.poll(() => ready(one), { timeout: 10_000 }).toEqual({ status: 200, body: { ready: true } });
    expect(ann.peer.socket.connected).toBe(true);
    expect(await cat.request('create-room', duel)).toMatchObject({ ok: true });
    expect(await ann.peer.next('peer-away', LOST_MS_MAX)).toEqual({ seat: bob.grant.seat });
    const back = await resume(one, bob.grant, [[ann.grant.seat, 1]]);
    expect(await signal({ ...back, grant: bob.grant }, ann, 1, 'v=0')).toEqual({ ok: true });
  });

  it('lose nobody when one of them drains under load', async () => {
    const [one, leaving] = await Promise.all([startNode(), startProcess()]);
    const waiting = await Promise.all(Array.from({ length: 10 }, () => take(leaving.url, 'create-room')));
    const hosts = await Promise.all(Array.from({ length: 20 }, () => take(leaving.url, 'create-room')));
    const guests = await Promise.all(hosts.map(({ grant }) => join(one, grant.room)));
    await Promise.all([...hosts, ...guests].map((member) => pairings(member, 1)));
    const gone = [...waiting, ...hosts].map(({ peer }) => peer.disconnected());
    leaving.node.kill('SIGTERM');
    await Promise.all([...waiting, ...hosts].map(({ peer }) => peer.next('draining')));
    const newcomer = waiting[0].peer.request('join-room', { code: '222222', game: 'duel' });
    const readiness = fetch(`${leaving.url}/readyz`);
    // Those who negotiate go on to, and are waited for.
    for (let round = 0; round < 8; round++) {
      const sent = hosts.flatMap((host, index) => [
        signal(host, guests[index], 1, `v=${round}`),
        signal(guests[index], host, 1, `v=${round}`),
      ]);
      expect((await Promise.all(sent)).every(({ ok }) => ok)).toBe(true);
    }
    expect([await newcomer, (await readiness).status]).toMatchObject([refusal('server-draining'), 503]);
    await Promise.all(gone);
    expect(await leaving.node.exit).toBe(0);
    const back = await Promise.all(waiting.map(({ grant }) => resume(one, grant, [])));
    for (const { reply } of back) expect(reply).toMatchObject({ ok: true, started: false });
    const late = await join(one, waiting[0].grant.room);
    expect((await late.peer.next('paired')).peer.seat).toBe(waiting[0].grant.seat);
    for (const guest of guests) expect(await guest.peer.next('peer-away')).toMatchObject({});
    expect(await redis.connect().zcard('{riposte}:nodes')).toBe(1);
  });
});
