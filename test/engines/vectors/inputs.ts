import { axis, button, buttons, type ControlsModel, controls } from '@riposte/shared';
import { encodePacket, PACKET_BYTES_MAX, packetHead } from '@riposte/shared/protocol';
import { hex32, hexOf } from './text.js';

const pad = buttons('left', 'right', 'punch');
/** Fills more than one word, so that axes start a second and a third one. */
const stick = controls({ fire: button, x: axis(7), y: axis(32_767), aim: axis(1000), zoom: axis(1), jump: button });
const resting = stick.withNeutral({ y: -100, jump: true });

function written<V>(model: ControlsModel<V>, values: readonly Partial<V>[]) {
  const words = new Int32Array(model.words);
  return {
    bits: model.bits,
    neutral: model.neutral.map(hex32),
    values: values.map((value) => {
      model.encode(value, words, 0);
      return { words: [...words].map(hex32).join(' '), text: model.describe(words, 0) };
    }),
  };
}

const STICKS = [{}, { fire: true, x: -7, y: 32_767, aim: -1000, zoom: 1, jump: true }, { x: 3, y: -1, zoom: -1 }];

function predicted(): string[] {
  const last = new Int32Array(stick.words);
  const guess = new Int32Array(stick.words);
  stick.encode({ fire: true, x: 5, y: -9, aim: 77, jump: true }, last, 0);
  stick.predictor({ fire: 'neutral', aim: 'neutral' })(last, 0, 3, guess, 0, stick.words);
  return [...guess].map(hex32);
}

/** One packet of eight frames, of which three change the input. */
function packet(): string {
  const presses = [0, 1, 1, 1, 5, 5, 5, 0, 0];
  const head = { epoch: 3, lastFrame: 70_007, count: 8, ack: 70_001, head: 70_005, advantage: -4, holdMs: 12 };
  const buffer = new Uint8Array(PACKET_BYTES_MAX);
  const length = encodePacket(
    { ...packetHead(), ...head, confirmed: 70_001, chain: 0xfedcba98 },
    Int32Array.from(presses),
    pad.words,
    pad.bits,
    buffer,
  );
  return hexOf(buffer.subarray(0, length));
}

export function inputVectors() {
  return {
    pad: written(pad, [{}, { left: true }, { right: true, punch: true }]),
    stick: written(stick, STICKS),
    resting: written(resting, STICKS),
    predicted: predicted(),
    packet: packet(),
  };
}
