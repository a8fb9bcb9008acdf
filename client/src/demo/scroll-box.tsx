import type { ComponentChildren } from 'preact';

/** What may be wider than a narrow screen: it scrolls by itself, also by the keyboard. */
export function ScrollBox({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a place in the order, no key could scroll it.
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
