/**
 * What a host's machine carries, over loopback: memory of an idle connection, pairing, relaying, and thousands who come
 * at once; beside a plain relay of websockets and PeerServer in the same run. Each server has a process of its own, and
 * the load comes from this one.
 */
import { hasRedisServer, RedisServer } from '../../signaling/testing/redis-server.js';
import { median, type Row, report } from './measure.js';
import { type Player, peerjsPlayer, plainPlayer, type Relaying, ripostePlayer } from './signaling/players.js';
import { type ServerName, ServerProcess, servesServer } from './signaling/servers.js';

const IDLE = 3_000;
/** What the first ones cost, in code that is compiled and buffers that stay, is not what the next ones cost. */
const FIRST = 500;
const PAIRINGS = 1_000;
const LANES = 32;
/** Messages of one player that are on their way at once. */
const WINDOW = 8;
const ROUNDS = 3;
const ROUND_MS = 1_000;
const CROWD = 5_000;
/** Sockets that are being opened at once; more would wait in the kernel's queue and measure its retries. */
const OPENING = 100;

type Two = readonly [Player, Player];

/** `count` of them, some at a time. */
async function many<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  while (made.length < count) {
    const batch = Math.min(OPENING, count - made.length);
    const from = made.length;
    made.push(...(await Promise.all(Array.from({ length: batch }, (_, index) => make(from + index)))));
  }
  return made;
}

async function pairOnce([creator, joiner]: Two): Promise<void> {
  const room = await creator.create();
  const both = [creator.paired(), joiner.paired()];
  await joiner.join(room);
  await Promise.all(both);
}

async function leave(two: Two): Promise<void> {
  await Promise.all(two.map((player) => player.leave()));
}

/** Resident bytes that each of many idle connections takes. */
async function bytesPerConnection(name: ServerName, connect: (port: number, index: number) => Promise<Relaying>) {
  const server = await ServerProcess.start(name);
  const first = await many(FIRST, (index) => connect(server.port, index));
  const before = await server.memory();
  const idle = await many(IDLE, (index) => connect(server.port, FIRST + index));
  const bytes = ((await server.memory()) - before) / IDLE;
  for (const player of [...first, ...idle]) player.close();
  await server.stop();
  return bytes;
}

/** Milliseconds from the request to join until both have heard of the pairing. */
async function pairMs([creator, joiner]: Two): Promise<number> {
  const room = await creator.create();
  const both = Promise.all([creator.paired(), joiner.paired()]);
  const start = performance.now();
  const joined = joiner.join(room);
  await both;
  const ms = performance.now() - start;
  await joined;
  await leave([creator, joiner]);
  return ms;
}

/** Pairs a second of `LANES` that repeat `pair` one after the other. */
async function pairsPerSecond(pair: (lane: number) => Promise<void>): Promise<number> {
  const start = performance.now();
  let pairs = 0;
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    while (performance.now() - start < ROUND_MS) {
      await pair(lane);
      pairs++;
    }
  });
  await Promise.all(lanes);
  return (pairs * 1000) / (performance.now() - start);
}

/** Two who come over new connections, meet and go: as players do. */
async function comeAndPair(connect: (port: number) => Promise<Player>, { port }: ServerProcess): Promise<void> {
  const two: Two = await Promise.all([connect(port), connect(port)]);
  await pairOnce(two);
  for (const player of two) player.close();
}

/** Two who are connected already. */
async function pairAndLeave(two: Two): Promise<void> {
  await pairOnce(two);
  await leave(two);
}

/** Messages a second that arrive while every player answers each with another. */
async function relayedPerSecond(players: readonly Relaying[]): Promise<number> {
  let arrived = 0;
  let open = true;
  for (const player of players) {
    player.onRelayed = () => {
      arrived++;
      if (open) player.relay();
    };
  }
  for (const player of players) for (let sent = 0; sent < WINDOW; sent++) player.relay();
  const start = performance.now();
  const startedAt = arrived;
  await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
  const rate = ((arrived - startedAt) * 1000) / (performance.now() - start);
  open = false;
  // Until all that are on their way have arrived.
  for (let before = -1; before !== arrived; ) {
    before = arrived;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return rate;
}

/** Everybody of a crowd asks for a quick match at once. */
async function crowd(): Promise<Row[]> {
  const server = await ServerProcess.start('riposte');
  const start = performance.now();
  let paired = 0;
  const players = await many(CROWD, async () => {
    const player = await ripostePlayer(server.port);
    void player.paired().then(() => {
      paired++;
    });
    return player;
  });
  const joining = performance.now();
  await Promise.all(players.map((player) => player.quickMatch()));
  while (paired < CROWD && performance.now() - joining < 10_000) await new Promise((resolve) => setTimeout(resolve, 5));
  const rows = [
    { name: 'crowd.lost', value: CROWD - paired, unit: `of ${CROWD} connections` },
    { name: 'crowd.connectMs', value: joining - start, unit: 'ms for all' },
    { name: 'crowd.pairMs', value: performance.now() - joining, unit: 'ms for all' },
  ];
  for (const player of players) player.close();
  await server.stop();
  return rows;
}

/** The two come over different servers, which share a Redis of their own. */
async function pairMsOfNodes(): Promise<Row[]> {
  if (!hasRedisServer) {
    process.stderr.write('No redis-server here: pairing across two nodes is not measured.\n');
    return [];
  }
  const redis = await RedisServer.start();
  const nodes = await Promise.all([0, 1].map(() => ServerProcess.start('riposte', redis.url)));
  const [creator, joiner] = await Promise.all(nodes.map(({ port }) => ripostePlayer(port)));
  if (creator === undefined || joiner === undefined) throw new Error('a node is missing');
  const times: number[] = [];
  for (let made = -PAIRINGS / 4; made < PAIRINGS; made++) {
    const ms = await pairMs([creator, joiner]);
    if (made >= 0) times.push(ms);
  }
  for (const player of [creator, joiner]) player.close();
  for (const node of nodes) await node.stop();
  await redis.stop();
  return [{ name: 'pairP50Ms.redis2', value: median(times), unit: 'ms' }];
}

/** Each contestant's median over rounds in turns, so that all of them meet the same weather. */
async function inTurns<T>(works: readonly (readonly [string, T])[], measure: (of: T) => Promise<number>) {
  const samples = new Map<string, number[]>(works.map(([name]) => [name, []]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, work] of works) {
      const value = await measure(work);
      if (round >= 0) samples.get(name)?.push(value);
    }
  }
  return (name: string) => median(samples.get(name) ?? []);
}

async function measureAll(): Promise<Row[]> {
  const bytes = {
    riposte: await bytesPerConnection('riposte', (port) => ripostePlayer(port)),
    ws: await bytesPerConnection('ws', (port) => plainPlayer(port)),
    peerjs: await bytesPerConnection('peerjs', (port, index) => peerjsPlayer(port, `i${index}`, 'nobody')),
  };
  const crowdRows = await crowd();
  const nodeRows = await pairMsOfNodes();

  const [riposte, ws, peerjs] = await Promise.all(
    (['riposte', 'ws', 'peerjs'] as const).map((name) => ServerProcess.start(name)),
  );
  if (riposte === undefined || ws === undefined || peerjs === undefined) throw new Error('a server is missing');
  const twos = async (connect: (port: number) => Promise<Player>, { port }: ServerProcess): Promise<Two[]> => {
    const players = await many(LANES * 2, () => connect(port));
    return Array.from({ length: LANES }, (_, lane) => [players[lane * 2]!, players[lane * 2 + 1]!]);
  };
  const ours = await twos(ripostePlayer, riposte);
  const plain = await twos(plainPlayer, ws);

  const pairing = [
    ['riposte', ours],
    ['ws', plain],
  ] as const;
  const pairMsOf = await inTurns(pairing, async (lanes) => {
    const times: number[] = [];
    for (let made = 0; made < PAIRINGS / (ROUNDS + 1); made++) times.push(await pairMs(lanes[0]!));
    return median(times);
  });
  const pairsOf = await inTurns(
    [
      ['riposte', () => comeAndPair(ripostePlayer, riposte)],
      ['ws', () => comeAndPair(plainPlayer, ws)],
    ],
    pairsPerSecond,
  );
  const openPairsOf = await inTurns(pairing, (lanes) => pairsPerSecond((lane) => pairAndLeave(lanes[lane]!)));

  for (const two of [...ours, ...plain]) await pairOnce(two);
  const peers = await many(LANES * 2, (index) => peerjsPlayer(peerjs.port, `p${index}`, `p${index ^ 1}`));
  const relayedOf = await inTurns<readonly Relaying[]>(
    [
      ['riposte', ours.flat()],
      ['ws', plain.flat()],
      ['peerjs', peers],
    ],
    relayedPerSecond,
  );
  for (const player of [...ours.flat(), ...plain.flat(), ...peers]) player.close();
  for (const server of [riposte, ws, peerjs]) await server.stop();

  const prefixes = { riposte: '', ws: 'ws.', peerjs: 'peerjs.' } as const;
  const rows = (figure: string, unit: string, of: (name: ServerName) => number, names: readonly ServerName[]): Row[] =>
    names.map((name) => ({ name: `${prefixes[name]}${figure}`, value: of(name), unit }));
  const all = ['riposte', 'ws', 'peerjs'] as const;
  const pairers = ['riposte', 'ws'] as const;
  return [
    ...rows('bytesPerConnection', 'bytes', (name) => bytes[name], all),
    ...rows('pairP50Ms', 'ms', pairMsOf, pairers),
    ...nodeRows,
    ...rows('pairsPerSecond', 'pairs/s', pairsOf, pairers),
    ...rows('pairsPerSecond.open', 'pairs/s', openPairsOf, pairers),
    ...rows('relayedPerSecond', 'messages/s', relayedOf, all),
    ...crowdRows,
  ];
}

if (!servesServer()) report('signaling', await measureAll());
