import { generate } from 'lean-qr';
import { toSvgPath } from 'lean-qr/extras/svg';

/** A QR code as an SVG path over a square of `size` modules. */
export interface QrCode {
  readonly size: number;
  readonly path: string;
}

/** The code that a phone's camera reads as this text. */
export function qrCodeOf(text: string): QrCode {
  const code = generate(text);
  return { size: code.size, path: toSvgPath(code) };
}
