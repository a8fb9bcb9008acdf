import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Held } from './connections.js';
import { Heartbeat, NODE_SILENT_MS } from './heartbeat.js';

const seat = (id: string): Held => ({ id, hold: 1 });

/** A store that another server uses too, as this one sees it. */
let store: { away: boolean; knows: boolean; silent: string[]; held: Held[] };
let nowMs: number;
let here: Set<string>;
let done: string[];
let heartbeat: Heartbeat;

beforeEach(() => {
  store = { away: false, knows: false, silent: [], held: [] };
  nowMs = 0;
  here = new Set();
  done = [];
  heartbeat = new Heartbeat({
    node: 'own',
    registry: {
      beat: async () => {
        if (store.away) throw new Error('away');
        const isNew = !store.knows;
        store.knows = true;
        return { isNew, silent: store.silent };
      },
      forget: async (node) => void done.push(`forget ${node}`),
    },
    now: () => nowMs,
    held: async () => store.held,
    isHere: ({ id }) => here.has(id),
    lose: async (node, isLost = () => true) => {
      const lost = store.held.filter(isLost);
      store.held = store.held.filter((each) => !lost.includes(each));
      done.push(`lose ${node}${node === 'own' ? ` ${lost.map(({ id }) => id).join(' ')}` : ''}`);
    },
    cutAll: () => done.push('cut all'),
    log: pino({ level: 'silent' }),
  });
});

/** Beats every second. */
async function beatFor(ms: number): Promise<void> {
  for (const end = nowMs + ms; nowMs < end; nowMs += 1000) await heartbeat.beat();
}

describe('a server among others', () => {
  it('marks the seats of one that is silent as away, and forgets it', async () => {
    await beatFor(NODE_SILENT_MS + 1000);
    store.silent = ['other'];
    await heartbeat.beat();
    expect(done).toEqual(['lose other', 'forget other']);
  });

  it('blames nobody for silence while it was away itself', async () => {
    await beatFor(10_000);
    store.away = true;
    await beatFor(10_000);
    store.away = false;
    store.silent = ['other'];
    await beatFor(NODE_SILENT_MS);
    expect(done).toEqual([]);
    await heartbeat.beat();
    expect(done).toEqual(['lose other', 'forget other']);
  });

  it('has its players take their seats anew when it was taken for dead', async () => {
    await beatFor(3000);
    store.knows = false;
    await heartbeat.beat();
    expect(done).toEqual(['cut all']);
  });

  it('marks seats as away that no connection holds after the store was away, but none that is being taken', async () => {
    await beatFor(3000);
    here.add('held');
    store.held = [seat('held'), seat('lost'), seat('taken late')];
    heartbeat.doubt();
    await heartbeat.beat();
    expect(done).toEqual([]);
    here.add('taken late');
    await heartbeat.beat();
    expect(done).toEqual(['lose own lost']);
    store.held.push(seat('new'));
    await beatFor(3000);
    expect(done).toEqual(['lose own lost']);
  });
});
