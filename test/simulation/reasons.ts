import { require } from './failure.js';
import type { Machine } from './machine.js';

/** By the session's own word: silence before it gives up a handshake, or a seat. Clocks here differ by 200 ppm. */
const HANDSHAKE_MS = 9990;
const SEAT_LOST_MS = 4990;
const RESUME_MS = 29_990;
/** What was silent for long since then may have been told, asked for and settled by now. */
const SETTLED_MS = 12_000;

/**
 * The seat of `player` is gone for `machine`, which is in the match: it left, or lost the match, or for all who are in
 * it, and whom the one who leads them had heard, there was a silence of it.
 */
export function checkGone(machines: readonly Machine[], machine: Machine, player: number, nowMs: number): void {
  const lost = machines[player]!;
  // The word of its loss may come late: by now it may play again.
  if (!lost.isInside || !machine.isInside || nowMs - lost.toldMs < SETTLED_MS) return;
  const leader = machines.find((other) => other !== lost && other.isInside) ?? machine;
  for (const other of machines) {
    if (other !== leader && leader.hearing.hadSilence(nowMs, other.me, SETTLED_MS)) continue;
    if (other === lost || !other.isInside || other.session.running?.isHere(player) === false) continue;
    require(other.hearing.hadSilence(nowMs, player, SETTLED_MS), () =>
      `player ${machine.me} plays on without player ${player}, whom player ${other.me} hears`);
  }
}

/** The match of `machine` has just ended: by what the log confirms. */
export function checkEnd(machines: readonly Machine[], machine: Machine, nowMs: number): void {
  const cause = machine.ended?.cause;
  if (cause === 'finished' || cause === 'left') return;
  const others = machines.filter((other) => other !== machine);
  const hasLeft = ({ ended }: Machine): boolean => ended?.cause === 'left';
  if (cause === 'peer-left') {
    const with_ = others.find((other) => !hasLeft(other) && isHeard(machine, other, nowMs));
    require(machines.length === 2 ? others.some(hasLeft) : with_ === undefined, () =>
      `player ${machine.me} was left alone, and heard ${with_ === undefined ? 'nobody leave' : `player ${with_.me}`}`);
  } else if (cause === 'lost') {
    machine.wasSilenced = isLost(machine, others, nowMs);
    require(machine.wasSilenced, () => `player ${machine.me} gave up, and no silence was long enough`);
  } else {
    // Two who both lost the match say so to each other.
    const isVoid = cause === 'refused' && machines.length === 2 && others.every(({ reloads }) => reloads > 0);
    require(isVoid, () => `player ${machine.me} ended by ${cause}: ${machine.ended?.message}`);
    machine.wasSilenced = true;
  }
}

/** A player who is in the match, did not begin anew, and whose packets came within the time after which one is lost. */
function isHeard({ hearing, session }: Machine, { me, reloads, isInside }: Machine, nowMs: number): boolean {
  if (session.running?.isHere(me) !== true || (reloads > 0 && !isInside)) return false;
  return hearing.packetSilenceMs(nowMs, me) < SEAT_LOST_MS;
}

/** A match may be given up for silence only, or with a side that gave it up. */
function isLost(machine: Machine, others: readonly Machine[], nowMs: number): boolean {
  const { hearing, session } = machine;
  const { running } = session;
  if (running === undefined) {
    const isOver = others.every(({ ended, reloads }) => ended !== undefined || reloads > 0);
    return (
      isOver || others.some(({ me }) => hearing.isClosed(me) || hearing.packetSilenceMs(nowMs, me) >= HANDSHAKE_MS)
    );
  }
  if (others.length === 1) {
    const [{ me, wasSilenced, reloads }] = others as [Machine];
    // Who lost the match and is asked for it refuses.
    return hearing.packetSilenceMs(nowMs, me) >= RESUME_MS || (hearing.isClosed(me) && wasSilenced) || reloads > 0;
  }
  // Who left without its word having come is somebody who is not heard.
  const here = others.filter(({ me }) => running.isHere(me) && !hearing.hasLeft(me));
  const heard = here.filter((other) => isHeard(machine, other, nowMs));
  return (heard.length + 1) * 2 <= here.length + 1;
}
