/**
 * Those who load the servers: each protocol written by hand over the same bare connection, which looks at no more of what
 * arrives than it needs, so that the load costs about the same whichever server it is for.
 */
import { Connection } from './connection.js';

/** What a negotiation sends most. */
const CANDIDATE = {
  candidate: 'candidate:842163049 1 udp 1677729535 203.0.113.77 46154 typ srflx raddr 0.0.0.0 rport 0 generation 0',
  sdpMid: '0',
  sdpMLineIndex: 0,
};

/** Of so many signals our pages ask for an answer to one. */
const SIGNALS_PER_ANSWER = 16;

/** A player as far as relaying goes. */
export type Relaying = Pick<Player, 'relay' | 'onRelayed' | 'close'>;

export interface Player {
  /** Opens a room and gives what the other one joins by. */
  create(): Promise<string>;
  /** Joins it; both hear of the pairing by `paired`. */
  join(room: string): Promise<void>;
  /** Resolves with the next pairing. Asked for before anybody joins. */
  paired(): Promise<void>;
  leave(): Promise<void>;
  /** Sends one candidate to the other one. */
  relay(): void;
  /** Called for each candidate that arrives. */
  onRelayed: () => void;
  close(): void;
}

type Message = Record<string, unknown>;

/** Waits for one thing at a time; each `wait` ends with the next `tell`. */
class Turn<T> {
  #settle: (value: T) => void = () => undefined;
  wait(): Promise<T> {
    return new Promise((resolve) => {
      this.#settle = resolve;
    });
  }
  tell(value: T): void {
    this.#settle(value);
  }
}

/** A player of ours, or of the relay by socket.io: its frames. */
export async function socketPlayer(port: number): Promise<Player & { quickMatch(): Promise<void> }> {
  const replies = new Map<number, (reply: Message) => void>();
  const pairing = new Turn<void>();
  const ready = new Turn<void>();
  let serial = 0;
  let signals = 0;
  let peer: unknown;
  let pairingNumber: unknown;
  const greeted = new Turn<void>();
  const isGreeted = greeted.wait();
  const isReady = ready.wait();
  const ask = (event: string, payload: Message): Promise<Message> => {
    const id = serial++;
    connection.send(`42${id}${JSON.stringify([event, payload])}`);
    return new Promise((resolve, reject) => {
      replies.set(id, (reply) => {
        if (reply['ok'] === true) resolve(reply);
        else reject(new Error(`${event}: ${JSON.stringify(reply)}`));
      });
    });
  };
  const connection = await Connection.open(port, '/socket.io/?EIO=4&transport=websocket', (text) => {
    if (text.startsWith('42["signal"')) player.onRelayed();
    else if (text.startsWith('43')) {
      const at = text.indexOf('[');
      const id = Number(text.slice(2, at));
      replies.get(id)?.(JSON.parse(text.slice(at))[0]);
      replies.delete(id);
    } else if (text.startsWith('42["paired"')) {
      const [, payload] = JSON.parse(text.slice(2));
      peer = payload.peer.seat;
      pairingNumber = payload.pairing;
      pairing.tell();
    } else if (text === '2') connection.send('3');
    else if (text.startsWith('40')) ready.tell();
    else if (text.startsWith('0')) greeted.tell();
  });
  const key = { game: 'bench', version: '1' };
  const player = {
    create: async () => String((await ask('create-room', key))['room']),
    join: async (room: string) => void (await ask('join-room', { code: room, game: 'bench' })),
    quickMatch: async () => void (await ask('quick-match', key)),
    paired: () => pairing.wait(),
    leave: async () => void (await ask('leave-room', {})),
    relay: () => {
      const signal = { to: peer, pairing: pairingNumber, data: { type: 'candidate', candidate: CANDIDATE } };
      if (++signals % SIGNALS_PER_ANSWER === 0) void ask('signal', signal);
      else connection.send(`42${JSON.stringify(['signal', signal])}`);
    },
    onRelayed: () => {},
    close: () => connection.close(),
  };
  await isGreeted;
  connection.send('40');
  await isReady;
  return player;
}

/** A player of the plain relay. */
export async function plainPlayer(port: number): Promise<Player> {
  const reply = new Turn<Message>();
  const pairing = new Turn<void>();
  const connection = await Connection.open(port, '/', (text) => {
    if (text.startsWith('{"type":"candidate"')) player.onRelayed();
    else if (text.startsWith('{"type":"paired"')) pairing.tell();
    else reply.tell(JSON.parse(text));
  });
  const ask = (message: Message): Promise<Message> => {
    connection.send(JSON.stringify(message));
    return reply.wait();
  };
  const player: Player = {
    create: async () => String((await ask({ type: 'create' }))['room']),
    join: async (room) => connection.send(JSON.stringify({ type: 'join', room })),
    paired: () => pairing.wait(),
    leave: async () => void (await ask({ type: 'leave' })),
    relay: () => connection.send(JSON.stringify({ type: 'candidate', candidate: CANDIDATE })),
    onRelayed: () => {},
    close: () => connection.close(),
  };
  return player;
}

/** One who sends to another whose id is known from somewhere else: PeerServer pairs nobody. */
export async function peerjsPlayer(port: number, id: string, other: string): Promise<Relaying> {
  const opened = new Turn<void>();
  const isOpen = opened.wait();
  const payload = { type: 'data', candidate: CANDIDATE, connectionId: 'dc_1' };
  const player: Relaying = {
    relay: () => connection.send(JSON.stringify({ type: 'CANDIDATE', dst: other, payload })),
    onRelayed: () => {},
    close: () => connection.close(),
  };
  const connection = await Connection.open(port, `/peerjs?key=peerjs&id=${id}&token=${id}`, (text) => {
    if (text.startsWith('{"type":"CANDIDATE"')) player.onRelayed();
    else if (text.startsWith('{"type":"OPEN"')) opened.tell();
  });
  await isOpen;
  return player;
}
