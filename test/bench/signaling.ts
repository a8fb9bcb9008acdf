/**
 * What a host's machine carries, over loopback: memory of an idle connection, pairing, relaying, and thousands who come
 * at once; beside plain relays and PeerServer in the same run. Each server has a process of its own, and the load comes
 * from this one.
 *
 * What is compared is measured in short rounds that take turns, so that whatever else the machine does meets all alike.
 * Each round gives a rate by the clock and the server's own processor time for one unit: the second holds also where the
 * load, or the machine, sets the pace. A ratio is the median of the rounds' ratios. The same relay by socket.io alone says
 * how much of a distance is the protocol's.
 */
import { hasRedisServer, RedisServer } from '../../signaling/testing/redis-server.js';
import { median, type Row, report } from './measure.js';
import { type Player, peerjsPlayer, plainPlayer, type Relaying, socketPlayer } from './signaling/players.js';
import { type ServerName, ServerProcess, servesServer } from './signaling/servers.js';

const IDLE = 3_000;
/** What the first ones cost, in code that is compiled and buffers that stay, is not what the next ones cost. */
const FIRST = 500;
const PAIRINGS = 1_000;
const LANES = 32;
/** Messages of one player that are on their way at once. */
const WINDOW = 8;
const ROUNDS = 7;
/**
 * Units before those that count, the same for each: engines compile what they see often, and a server that does more for
 * one takes longer to do as many. Bounded by rounds, for a machine that is busy with something else.
 */
const UNITS_BEFORE = 5_000;
const ROUNDS_BEFORE = 2;
const ROUNDS_BEFORE_MAX = 12;
const ROUND_MS = 500;
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

/** Pairs that `LANES` make in a round, each one after the other. */
async function pairsOfRound(pair: (lane: number) => Promise<void>): Promise<number> {
  const start = performance.now();
  let pairs = 0;
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    while (performance.now() - start < ROUND_MS) {
      await pair(lane);
      pairs++;
    }
  });
  await Promise.all(lanes);
  return pairs;
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

/** Messages that arrive in a round in which every player answers each with another. */
async function relayedOfRound(players: readonly Relaying[]): Promise<number> {
  let arrived = 0;
  let open = true;
  for (const player of players) {
    player.onRelayed = () => {
      arrived++;
      if (open) player.relay();
    };
  }
  for (const player of players) for (let sent = 0; sent < WINDOW; sent++) player.relay();
  await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
  open = false;
  // Until all that are on their way have arrived.
  for (let before = -1; before !== arrived; ) {
    before = arrived;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return arrived;
}

/** Everybody of a crowd asks for a quick match at once. */
async function crowd(): Promise<Row[]> {
  const server = await ServerProcess.start('riposte');
  const start = performance.now();
  let paired = 0;
  const players = await many(CROWD, async () => {
    const player = await socketPlayer(server.port);
    void player.paired().then(() => {
      paired++;
    });
    return player;
  });
  const joining = performance.now();
  await Promise.all(players.map((player) => player.quickMatch()));
  const seated = performance.now();
  while (paired < CROWD && performance.now() - seated < 10_000) await new Promise((resolve) => setTimeout(resolve, 5));
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
  const [creator, joiner] = await Promise.all(nodes.map(({ port }) => socketPlayer(port)));
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

interface Contestant {
  /** What stands before its figures. */
  readonly prefix: string;
  readonly server: ServerProcess;
  /** Works for one round; gives how many units it did. */
  readonly work: () => Promise<number>;
}

/** Rows of one figure: rates, processor time for one unit, and ours by each rival's. The first contestant is ours. */
async function contest(figure: string, unit: string, contestants: readonly Contestant[]): Promise<Row[]> {
  const samples = contestants.map(({ prefix }) => ({ prefix, rates: [] as number[], costs: [] as number[] }));
  for (const { work } of contestants) {
    for (let round = 0, done = 0; round < ROUNDS_BEFORE_MAX; round++) {
      if (round >= ROUNDS_BEFORE && done >= UNITS_BEFORE) break;
      done += await work();
    }
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, { server, work }] of contestants.entries()) {
      const [busyBefore, start] = [await server.processorMs(), performance.now()];
      const done = await work();
      const ms = performance.now() - start;
      const busyMs = (await server.processorMs()) - busyBefore;
      samples[index]?.rates.push((done * 1000) / ms);
      samples[index]?.costs.push((busyMs * 1000) / done);
    }
  }
  const [ours, ...rivals] = samples;
  if (ours === undefined) throw new Error('nobody takes part');
  const ratio = (values: readonly number[], rival: readonly number[]) =>
    median(values.map((value, round) => value / (rival[round] ?? Number.NaN)));
  return [
    ...samples.flatMap(({ prefix, rates, costs }) => [
      { name: `${prefix}${figure}`, value: median(rates), unit: `${unit}s/s` },
      { name: `${prefix}${figure}.cost`, value: median(costs), unit: `us of the server's processor a ${unit}` },
    ]),
    ...rivals.flatMap(({ prefix, rates, costs }) => [
      { name: `${prefix}${figure}.ratio`, value: ratio(ours.rates, rates), unit: 'ours by theirs, by the clock' },
      { name: `${prefix}${figure}.costRatio`, value: ratio(costs, ours.costs), unit: 'theirs by ours, processor' },
    ]),
  ];
}

async function measureAll(): Promise<Row[]> {
  const bytes: Row[] = [];
  const idle = (prefix: string, value: number) =>
    bytes.push({ name: `${prefix}bytesPerConnection`, value, unit: 'bytes' });
  idle('', await bytesPerConnection('riposte', (port) => socketPlayer(port)));
  idle('ws.', await bytesPerConnection('ws', (port) => plainPlayer(port)));
  idle('socket.io.', await bytesPerConnection('socket.io', (port) => socketPlayer(port)));
  idle('peerjs.', await bytesPerConnection('peerjs', (port, index) => peerjsPlayer(port, `i${index}`, 'nobody')));
  const crowdRows = await crowd();
  const nodeRows = await pairMsOfNodes();

  const pairers = [
    { prefix: '', connect: socketPlayer, server: await ServerProcess.start('riposte') },
    { prefix: 'ws.', connect: plainPlayer, server: await ServerProcess.start('ws') },
    { prefix: 'socket.io.', connect: socketPlayer, server: await ServerProcess.start('socket.io') },
  ];
  const connected: { prefix: string; server: ServerProcess; lanes: Two[] }[] = [];
  for (const { prefix, connect, server } of pairers) {
    const players = await many(LANES * 2, () => connect(server.port));
    const lanes = Array.from({ length: LANES }, (_, lane): Two => [players[lane * 2]!, players[lane * 2 + 1]!]);
    connected.push({ prefix, server, lanes });
  }

  const times = new Map(pairers.map(({ prefix }): [string, number[]] => [prefix, []]));
  for (let round = -ROUNDS_BEFORE; round < ROUNDS; round++) {
    for (const { prefix, lanes } of connected) {
      for (let made = 0; made < PAIRINGS / ROUNDS; made++) {
        const ms = await pairMs(lanes[0]!);
        if (round >= 0) times.get(prefix)?.push(ms);
      }
    }
  }
  const pairMsRows = [...times].map(([prefix, all]) => ({
    name: `${prefix}pairP50Ms`,
    value: median(all),
    unit: 'ms',
  }));
  const pairRows = await contest(
    'pairsPerSecond',
    'pair',
    connected.map(({ prefix, server, lanes }) => ({
      prefix,
      server,
      work: () => pairsOfRound((lane) => pairAndLeave(lanes[lane]!)),
    })),
  );
  const newPairRows = await contest(
    'pairsPerSecond.new',
    'pair',
    pairers.map(({ prefix, server, connect }) => ({
      prefix,
      server,
      work: () => pairsOfRound(() => comeAndPair(connect, server)),
    })),
  );

  for (const { lanes } of connected) for (const two of lanes) await pairOnce(two);
  const peerjs = await ServerProcess.start('peerjs');
  const relaying = [
    ...connected.map(({ prefix, server, lanes }) => ({
      prefix,
      server,
      players: lanes.flat().map((player): Relaying => player),
    })),
    {
      prefix: 'peerjs.',
      server: peerjs,
      players: await many(LANES * 2, (index) => peerjsPlayer(peerjs.port, `p${index}`, `p${index ^ 1}`)),
    },
  ];
  const relayRows = await contest(
    'relayedPerSecond',
    'message',
    relaying.map(({ prefix, server, players }) => ({ prefix, server, work: () => relayedOfRound(players) })),
  );
  for (const { players } of relaying) for (const player of players) player.close();
  for (const { server } of relaying) await server.stop();
  return [...bytes, ...pairMsRows, ...nodeRows, ...pairRows, ...newPairRows, ...relayRows, ...crowdRows];
}

if (!servesServer()) report('signaling', await measureAll());
