import axe from 'axe-core';

/** Screens that every page is looked at on, by their widths in pixels. */
export const WIDTHS = { phone: 360, laptop: 1280, desk: 1920 } as const;

/** Runs a script in a page and gives what it comes to. */
type RunScript = (script: string) => Promise<unknown>;

/** Each finding is one sentence, so that a failing test reads as what is to be mended. */
const FINDINGS = `(async () => {
  const { violations } = await axe.run({ resultTypes: ['violations'] });
  const findings = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) => nodes.map(({ target }) => id + ': ' + help + ', at ' + target.join(' ')));
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) findings.push('wider than the screen: ' + scrollWidth + ' of ' + clientWidth + ' px');
  return findings;
})()`;

/** What keeps people out of a page as it stands: axe's serious and critical findings, and a page wider than its screen. */
export async function findings(run: RunScript): Promise<unknown> {
  await run(axe.source);
  return run(FINDINGS);
}
