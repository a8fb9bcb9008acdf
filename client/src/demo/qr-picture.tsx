import { useEffect, useState } from 'preact/hooks';
import type { QrCode } from './qr-code.js';

/** The white border that readers look for, in modules. */
const QUIET_MODULES = 4;

/** A link for a phone's camera. What draws it is loaded with the first one; without it the link itself is still there. */
export function QrPicture({ link }: { link: string }) {
  const [code, setCode] = useState<QrCode | null>(null);
  useEffect(() => {
    let isWanted = true;
    import('./qr-code.js').then(
      ({ qrCodeOf }) => isWanted && setCode(qrCodeOf(link)),
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [link]);
  if (code === null) return null;
  const side = code.size + 2 * QUIET_MODULES;
  return (
    <svg
      class="qr"
      viewBox={`${-QUIET_MODULES} ${-QUIET_MODULES} ${side} ${side}`}
      role="img"
      aria-label="QR code of this room, for a phone’s camera"
    >
      <path d={code.path} />
    </svg>
  );
}
