import { comparisonLines, verificationLines } from '../../recorder/difference-words.js';
import type { Finding } from './analysis.js';
import { sideNames } from './facts.js';
import type { Inspection, InspectionView } from './inspection.js';

function linesOf(finding: Finding): readonly string[] {
  switch (finding.kind) {
    case 'comparison':
      return [...comparisonLines(finding.result)];
    case 'verification':
      return [...verificationLines(finding.result, finding.header)];
    case 'refused':
      return [finding.reason];
  }
}

function isClean(finding: Finding): boolean {
  if (finding.kind === 'comparison') return finding.result.same;
  return finding.kind === 'verification' && finding.result.ok;
}

/** What was found: the first difference, in words, or that there is none. */
export function FindingCard({ inspection, view }: { inspection: Inspection; view: InspectionView }) {
  const { finding, progress, sides } = view;
  const [first, ...others] = finding === null ? [] : linesOf(finding);
  const cut = sides.flatMap(({ recording: { problem } }, side) =>
    problem === null ? [] : [`${sideNames[side]} was read only so far: ${problem}`],
  );
  if (first === undefined && progress === null && cut.length === 0) return null;
  const frame = inspection.differenceFrame;
  return (
    <section
      class={`card finding ${finding === null ? '' : isClean(finding) ? 'clean' : 'differs'}`}
      aria-label="What was found"
    >
      <div class="told" role="status">
        {first !== undefined && <h2>{first}</h2>}
        {first === undefined && progress !== null && <p>Running the match again…</p>}
        {[...others, ...cut].map((line) => (
          <p key={line}>{line.trim()}</p>
        ))}
      </div>
      {frame !== null && (
        <button type="button" onClick={() => inspection.seekDifference()}>
          Go to the first difference
        </button>
      )}
      {progress !== null && (
        // Of a slow game nothing is heard for a while: then the bar only says that it goes on.
        <div class="search">
          <progress {...(progress > 0 && { value: progress })} aria-label="Running the match again" />
          <button type="button" onClick={() => inspection.cancelSearch()}>
            Cancel
          </button>
        </div>
      )}
    </section>
  );
}
