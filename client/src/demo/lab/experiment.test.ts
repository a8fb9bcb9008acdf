import { duel, race } from '@riposte/shared/games';
import { describe, expect, it } from 'vitest';
import { seededBot } from '../../input/bot.js';
import { Experiment, type ExperimentOptions, type Mode } from './experiment.js';
import { presets } from './presets.js';

type DuelState = ReturnType<typeof duel.state.create>;
type DuelInput = ReturnType<typeof duel.input.create>;

const linkOf = (id: string) => presets.find((preset) => preset.id === id)!.link;

function duelOf(options: Partial<ExperimentOptions<DuelState, DuelInput>> = {}): Experiment<DuelState, DuelInput> {
  let clockMs = 0;
  return new Experiment<DuelState, DuelInput>({
    game: duel,
    mode: 'peers',
    inputs: [seededBot(duel.input, 3), seededBot(duel.input, 4)],
    link: linkOf('lan'),
    inputDelay: 1,
    window: 8,
    seed: 5,
    clock: () => (clockMs += 0.01),
    ...options,
  });
}

/** That both sides hold the same of each frame that both have confirmed and still keep. */
function expectAgreement({ sides }: Experiment<DuelState, DuelInput>): void {
  const through = Math.min(...sides.map(({ trace }) => trace.confirmed));
  expect(through).toBeGreaterThan(100);
  for (let frame = through - 60; frame <= through; frame++) {
    const [one, two] = sides.map(({ sim }) => duel.state.hash(sim!.stateAt(frame + 1)));
    expect(one).toBe(two);
  }
}

describe('an experiment', () => {
  it('plays at the pace of its virtual time, however it is cut into pieces', () => {
    const [whole, pieces] = [duelOf(), duelOf()];
    whole.run(3000);
    for (let piece = 0; piece < 3000; piece++) pieces.run(1);
    expect(whole.players[0].trace.head).toBeGreaterThan(140);
    expect(pieces.players[0].trace.head).toBe(whole.players[0].trace.head);
    expect(pieces.players[0].sim!.stateAt(100)).toEqual(whole.players[0].sim!.stateAt(100));
  });

  it('goes on by one frame on each side with a step', () => {
    const experiment = duelOf();
    experiment.run(2000);
    const before = experiment.sides.map(({ trace }) => trace.head);
    for (let step = 0; step < 30; step++) experiment.step();
    const after = experiment.sides.map(({ trace }) => trace.head);
    for (const [side, head] of after.entries()) expect(Math.abs(head - before[side]! - 30)).toBeLessThanOrEqual(1);
  });

  it('neither stalls nor rolls back far on a LAN', () => {
    const experiment = duelOf();
    experiment.run(10_000);
    for (const player of experiment.players) {
      const measures = player.measures(experiment.clock.nowMs)!;
      expect(measures.stallTicks.count).toBe(0);
      expect(measures.rollbackFrames.max ?? 0).toBeLessThanOrEqual(1);
      expect(measures.rttMs.p50).toBeLessThan(20);
    }
    expectAgreement(experiment);
  });

  it('rolls back farther as the delay goes up', () => {
    const experiment = duelOf();
    experiment.run(2000);
    const before = experiment.players[0].meter!.rollbackFrames.count;
    experiment.setLink(linkOf('4g'));
    experiment.run(5000);
    const { meter, trace } = experiment.players[0];
    expect(meter!.rollbackFrames.count).toBeGreaterThan(before + 20);
    expect(meter!.rollbackFrames.spread(experiment.clock.nowMs).p95).toBeGreaterThanOrEqual(3);
    expect(meter!.corrections.count).toBeGreaterThan(0);
    expect(meter!.resimulationMs.total).toBeGreaterThan(0);
    expect(trace.rollbacks.length).toBeGreaterThan(20);
    const kinds = new Set(Array.from({ length: 100 }, (_, back) => trace.kindOf(trace.confirmed - back)));
    expect(kinds).toContain('again');
    expect(kinds).toContain('guessed');
    expectAgreement(experiment);
  });

  it.each(['peers', 'authority'] as const)('agrees over every preset, one after the other, with %s', (mode: Mode) => {
    const experiment = duelOf({ mode });
    for (const [at, { link }] of presets.entries()) {
      experiment.setLink(link);
      experiment.setInputDelay(at % 4);
      experiment.run(3000);
    }
    experiment.setLink(linkOf('lan'));
    experiment.run(3000);
    expect(experiment.sides.map(({ phase }) => phase)).toEqual(['running', 'running']);
    expect(experiment.finding).toBeNull();
    expectAgreement(experiment);
  });

  it('names the frame and the field that a planted fault parts, between peers', () => {
    const experiment = duelOf({ link: linkOf('dsl') });
    experiment.run(3000);
    experiment.plantFault();
    expect(experiment.isFaultPending).toBe(true);
    const planted = experiment.players[1].trace.head + 3;
    experiment.run(1500);
    expect(experiment.isFaultPending).toBe(false);
    expect(experiment.finding).toMatchObject({ frame: planted, isHealed: false });
    expect(experiment.finding!.fields.length).toBeGreaterThan(0);
  });

  it('plants a fault in a match that has not begun, some frames into it', () => {
    const experiment = duelOf({ link: linkOf('dsl') });
    experiment.plantFault();
    experiment.run(3000);
    expect(experiment.finding).toMatchObject({ frame: 60, isHealed: false });
  });

  it('tells whose press led to a rollback, and what it was', () => {
    const press = { left: false, heavy: false };
    const experiment = duelOf({ inputs: [() => ({}), () => press], link: { ...linkOf('dsl'), delayMs: 60 } });
    experiment.run(4000);
    expect(experiment.players[0].trace.rollbacks).toEqual([]);
    press.left = true;
    press.heavy = true;
    experiment.run(300);
    const [rollback] = experiment.players[0].trace.rollbacks;
    expect(rollback).toMatchObject({ cause: { who: 'Player 2', isOwn: false, pressed: 'left+heavy' } });
    expect(rollback!.last - rollback!.first).toBeGreaterThan(0);
  });

  it('heals a planted fault by the state of the authority', () => {
    const experiment = duelOf({ mode: 'authority', link: linkOf('dsl') });
    experiment.run(3000);
    experiment.plantFault();
    experiment.run(1500);
    expect(experiment.finding).toMatchObject({ isHealed: true });
    expectAgreement(experiment);
  });

  it('remembers what became of each packet', () => {
    const experiment = duelOf({ link: linkOf('terrible') });
    experiment.run(5000);
    const { packets } = experiment;
    expect(packets.length).toBeLessThanOrEqual(512);
    const lost = packets.filter(({ arrivesMs }) => Number.isNaN(arrivesMs)).length;
    expect(lost / packets.length).toBeGreaterThan(0.1);
    expect(lost / packets.length).toBeLessThan(0.4);
    for (const { sentMs, arrivesMs } of packets) expect(arrivesMs < sentMs).toBe(false);
  });

  it('plays the race as well', () => {
    const experiment = new Experiment({
      game: race,
      mode: 'peers',
      inputs: [seededBot(race.input, 3), seededBot(race.input, 4)],
      link: linkOf('wifi'),
      inputDelay: 2,
      window: 8,
      seed: 5,
    });
    experiment.run(4000);
    expect(experiment.players[0].trace.confirmed).toBeGreaterThan(150);
  });
});
