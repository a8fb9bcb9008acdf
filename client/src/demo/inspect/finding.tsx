import { comparisonLines, verificationLines } from '../../recorder/difference-words.js';
import type { Finding } from './analysis.js';
import type { Inspection, InspectionView } from './inspection.js';

function linesOf(finding: Finding): readonly string[] {
  switch (finding.kind) {
    case 'comparison':
      return [...comparisonLines(finding.result)];
    case 'verification':
      return [...verificationLines(finding.result, finding.game)];
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
  const { finding, progress } = view;
  const [first, ...others] = finding === null ? [] : linesOf(finding);
  const frame = inspection.differenceFrame;
  return (
    <section
      class={`card finding ${finding === null ? '' : isClean(finding) ? 'clean' : 'differs'}`}
      aria-label="What was found"
    >
      <div class="told" role="status">
        {first === undefined ? (
          <p>{progress === null ? 'Nothing was run.' : 'Running the match again…'}</p>
        ) : (
          <h2>{first}</h2>
        )}
        {others.map((line) => (
          <p key={line}>{line.trim()}</p>
        ))}
      </div>
      {frame !== null && (
        <button type="button" onClick={() => inspection.seekDifference()}>
          Go to the first difference
        </button>
      )}
      {progress !== null && (
        <div class="search">
          <progress value={progress} aria-label="Running the match again" />
          <button type="button" onClick={() => inspection.cancelSearch()}>
            Cancel
          </button>
        </div>
      )}
    </section>
  );
}
