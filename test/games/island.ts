import { array, bool, buttons, defineGame, i32, struct, u8 } from '@riposte/shared';

const islander = { x: i32, speed: i32, deadFor: u8, deaths: u8, isRiding: bool };
const RESPAWN_FRAMES = 20;
const SPAWN = [-400, 400] as const;

/** The places where predictions go wrong: a moving platform that carries, a pit with a respawn, a door that teleports. */
export const island = defineGame({
  id: 'island',
  version: '1',
  tickRate: 60,
  players: 2,
  input: buttons('left', 'right', 'act'),
  state: struct({ players: array(2, islander), platform: i32 }),
  init(state) {
    for (const [player, one] of state.players.entries()) one.x = SPAWN[player]!;
  },
  step(state, inputs, ctx) {
    const before = state.platform;
    state.platform = Math.abs((ctx.frame % 240) - 120) * 4 - 240;
    for (const [player, { left, right, act }] of inputs.entries()) {
      const one = state.players[player]!;
      if (one.deadFor > 0) {
        // Input during a respawn moves nobody.
        if (--one.deadFor === 0) one.x = SPAWN[player]!;
        continue;
      }
      one.speed = Math.trunc(((one.speed + (+right - +left) * 8) * 7) / 8);
      one.x += one.speed;
      one.isRiding = Math.abs(one.x - before) < 30;
      if (one.isRiding) one.x += state.platform - before;
      const other = state.players[1 - player]!;
      const isPushed = act && Math.abs(other.x - one.x) < 60 && other.deadFor === 0;
      if (isPushed) other.speed += one.x < other.x ? 40 : -40;
      // The door at one end leads to the other.
      if (one.x > 900) {
        one.x = -900;
        ctx.effect('teleport', player, player);
      }
      if (one.x < -950) {
        one.deadFor = RESPAWN_FRAMES;
        one.speed = 0;
        one.deaths++;
        ctx.effect('splash', player, player);
        ctx.fact('death', player);
      }
    }
  },
});
