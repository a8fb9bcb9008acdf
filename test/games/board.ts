import { array, buttons, defineGame, struct, u8 } from '@riposte/shared';

const cells = ['one', 'two', 'three', 'four'] as const;

/** A turn-based game: whoever's turn it is marks a free cell, and a press is a move. The step believes what it is given. */
export const board = defineGame({
  id: 'board',
  version: '1',
  tickRate: 20,
  players: 2,
  input: buttons(...cells),
  state: struct({ cells: array(4, u8), turn: u8, moves: u8 }),
  /** The rules that an authority holds the players to. */
  refuses(state, player, input) {
    const cell = cells.findIndex((name) => input[name]);
    if (cell < 0) return undefined;
    if (state.turn !== player) return 'it is not your turn';
    return state.cells[cell] === 0 ? undefined : 'the cell is taken';
  },
  step(state, inputs, ctx) {
    for (const [player, input] of inputs.entries()) {
      const cell = cells.findIndex((name) => input[name]);
      if (cell < 0) continue;
      state.cells[cell] = player + 1;
      state.turn = 1 - player;
      state.moves++;
      ctx.fact('move', { player, cell });
    }
  },
});
