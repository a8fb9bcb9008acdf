import { RiposteError, requireInteger } from '../errors.js';
import { type Game, initialState, PLAYERS_MAX, type Settings } from '../game/game.js';
import { type EffectEvent, EffectLedger, type Fact } from './effect-ledger.js';
import { Stepper } from './stepper.js';

export interface ReplayOptions<S> {
  readonly seed?: number;
  readonly settings?: Settings;
  /** Whether a player is not there in a frame: its input is not read then. */
  readonly isGone?: (player: number, frame: number) => boolean;
  /** Called with `stateAt(frame)` for every frame from 0 to the number of inputs. The state is live: copy what you keep. */
  readonly onState?: (frame: number, state: S) => void;
  /** Called once for each effect, as `final`: there is nothing to predict. Each frame's effects come before its facts. */
  readonly onEffect?: (effect: EffectEvent) => void;
  readonly onFact?: (fact: Fact) => void;
}

/**
 * Runs recorded inputs, `inputs[frame][player]`, from the initial state: the right answer that every rollback must
 * equal, bit for bit. Returns the final state. Throws `bad-argument` when a frame has another number of players.
 */
export function replay<S, I>(
  game: Game<S, I>,
  inputs: readonly (readonly Partial<I>[])[],
  options: ReplayOptions<S> = {},
): S {
  const players = inputs[0]?.length ?? game.players;
  requireInteger('players', players, 1, PLAYERS_MAX);
  const state = initialState(game, { seed: options.seed ?? 0, settings: options.settings ?? {}, players });
  const ledger = new EffectLedger(1);
  const stepper = new Stepper(game, players, ledger);
  const words = new Int32Array(game.input.words);
  const neutral = Int32Array.from(game.input.neutral);
  options.onState?.(0, state);
  for (const [frame, frameInputs] of inputs.entries()) {
    if (frameInputs.length !== players) {
      throw new RiposteError(
        'bad-argument',
        `frame ${frame} has inputs of ${frameInputs.length} players; expected ${players}`,
      );
    }
    for (const [player, input] of frameInputs.entries()) {
      const isGone = options.isGone?.(player, frame) === true;
      stepper.connect(player, !isGone);
      if (isGone) {
        stepper.press(player, neutral, 0);
        continue;
      }
      game.input.encode(input, words, 0);
      stepper.press(player, words, 0);
    }
    stepper.step(state, frame);
    ledger.collect(frame, frame);
    for (let effect = ledger.pollEffect(); effect !== undefined; effect = ledger.pollEffect()) {
      if (effect.phase === 'final') options.onEffect?.(effect);
    }
    for (let fact = ledger.pollFact(); fact !== undefined; fact = ledger.pollFact()) options.onFact?.(fact);
    options.onState?.(frame + 1, state);
  }
  return state;
}
