import { useRef, useState } from 'preact/hooks';
import { QrPicture } from './qr-picture.js';

/** Names of this machine that lead nowhere from another one. */
const ONLY_HERE = /^(localhost|127\.[\d.]+|\[::1\])$/;

/** A room's code and link, with a button that copies the link, or at least selects it, and the link for a phone's camera. */
export function ShareLink({ code, link }: { code: string; link: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [told, setTold] = useState('');

  const copy = async (): Promise<void> => {
    const isCopied = (await copied(link)) || (field.current !== null && copiedFrom(field.current));
    setTold(isCopied ? 'Copied.' : 'The link is selected: copy it with Ctrl+C or ⌘C.');
  };

  return (
    <div class="share">
      <p>
        Code <strong class="room-code">{code}</strong>
      </p>
      <label for="link">Link</label>
      <div class="row">
        <input
          id="link"
          ref={field}
          type="text"
          readOnly
          value={link}
          onFocus={(event) => event.currentTarget.select()}
        />
        <button type="button" class="primary" onClick={() => void copy()}>
          Copy link
        </button>
      </div>
      <p class="told" role="status">
        {told}
      </p>
      <QrPicture link={link} />
      {ONLY_HERE.test(new URL(link).hostname) && (
        <p class="only-here">
          This link leads nowhere from another machine. For that, open this page by this machine’s address in your
          network, and create the match there.
        </p>
      )}
    </div>
  );
}

/** Copies as browsers do for pages that they trust: over plain http there is no clipboard. */
async function copied(text: string): Promise<boolean> {
  if (!window.isSecureContext) return false;
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Copies the old way, from a field that is selected for it. */
function copiedFrom(field: HTMLInputElement): boolean {
  field.focus();
  field.select();
  return document.execCommand('copy');
}
