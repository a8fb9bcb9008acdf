import type { Game } from '@riposte/shared';
import { VirtualClock } from '../../client/src/transport/virtual-clock.js';
import { require } from './failure.js';
import { Luck } from './luck.js';
import type { Machine } from './machine.js';
import type { Scenario } from './scenario.js';
import { Spectator, Teller } from './stands.js';
import type { Input, State } from './watch.js';

const DRAW_MS = 1000 / 60;
/** A machine that is busy for longer is paused; for less it ticks, and tells what it has between two ticks. */
const PAUSED_MS = 100;
/** A spectator whose source stays in the match is no farther behind it when all is calm, beside what it chose. */
const BEHIND_FRAMES_MAX = 150;

interface Onlooker {
  readonly spectator: Spectator<State, Input>;
  readonly source: Machine;
  readonly delay: number;
  /** Up to there its frames were compared with the players'. */
  seen: number;
}

/** Who watches the parties of a third of all seeds: over bad links of their own, by one player each. */
export class Onlookers {
  readonly #clock = new VirtualClock();
  readonly #all: Onlooker[] = [];
  readonly #tellers = new Map<Machine, Teller<State, Input>>();
  readonly #machines: readonly Machine[];

  constructor({ seed, machines: plans, healMs }: Scenario, machines: readonly Machine[], game: Game<State, Input>) {
    this.#machines = machines;
    const luck = new Luck(seed, 4);
    if (plans.length === 2 || !luck.chance(0.34)) return;
    for (let count = 1 + luck.below(3); count > 0; count--) {
      const source = machines[luck.below(machines.length)]!;
      const delay = luck.chance(0.5) ? 0 : luck.below(200);
      const link = { delayMs: luck.between(1, 200), jitterMs: luck.between(0, 80), lossRate: luck.between(0, 0.4) };
      const spectator = new Spectator(`onlooker ${count}`, game, this.#clock, delay);
      this.#all.push({ spectator, source, delay, seen: -1 });
      const teller = this.#tellers.get(source) ?? new Teller(game, this.#clock, () => sourceOf(source));
      this.#tellers.set(source, teller);
      this.#clock.schedule(luck.between(0, healMs), () => spectator.watch(teller, link, () => luck.unit()));
    }
    this.#draw();
  }

  #draw(): void {
    this.#clock.schedule(DRAW_MS, () => this.#draw());
    for (const [{ busyUntilMs }, teller] of this.#tellers)
      if (busyUntilMs - this.#clock.nowMs < PAUSED_MS) teller.draw();
    for (const onlooker of this.#all) {
      onlooker.spectator.draw();
      this.#compare(onlooker);
    }
  }

  /** Lets time pass up to this moment. */
  advance(nowMs: number): void {
    if (this.#all.length > 0) this.#clock.advance(nowMs - this.#clock.nowMs);
  }

  /** What is shown is what the players agree on. */
  #compare(onlooker: Onlooker): void {
    const { session, name } = onlooker.spectator;
    const chain = session.source?.driver.checker;
    onlooker.seen = Math.min(onlooker.seen, session.frame);
    while (chain !== undefined && onlooker.seen < session.frame) {
      const frame = ++onlooker.seen;
      const hash = chain.hashOf(frame);
      const known = this.#machines.filter(({ watch }) => watch.isConfirmed[frame] === 1);
      // What a source told that has fallen out of the match since is told again.
      if (hash === undefined || known.length === 0 || onlooker.source.watch.isVoid(frame, hash)) continue;
      require(known.some(({ watch }) => watch.hashes[frame] === hash), () =>
        `${name} is shown frame ${frame} with hash ${hash}; the players have ${known.map(({ watch }) => watch.hashes[frame])}`);
    }
  }

  /** In the calm nobody is far behind whose source is there. */
  judge(): void {
    for (const { spectator, source, delay } of this.#all) {
      const told = sourceOf(source)?.newest ?? -1;
      const { frame } = spectator.session;
      const isTold = source.ended === undefined && source.isInside && told > 0 && spectator.ended === undefined;
      require(!isTold || told - frame <= delay + BEHIND_FRAMES_MAX, () =>
        `${spectator.name} is at frame ${frame} of ${told} that player ${source.me} has, and wants to be ${delay} behind`);
    }
  }
}

/** A player who is in the match tells what is final for it. */
function sourceOf({ session, isInside, ended }: Machine) {
  const { running } = session;
  if (running === undefined || !isInside || ended !== undefined) return undefined;
  return { agreed: running.agreed, driver: running.driver, newest: running.driver.checker.newest };
}
