import type { FieldDifference } from '@riposte/shared';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { distanceText, valueText } from '../../recorder/difference-words.js';
import { ScrollBox } from '../scroll-box.js';
import { sideNames } from './facts.js';
import type { Inspection, InspectionView, SideState } from './inspection.js';
import { childrenOf, differencesIn, type StateNode } from './state-tree.js';

/** Text that changes faster than this cannot be read. */
const PLAYED_MS = 100;
/** Differences that are listed above the tree; the tree marks them all. */
const LISTED_MAX = 100;
/** Nodes with more parts than this are closed at first. */
const OPEN_PARTS_MAX = 24;

/** What was rendered last. */
interface Shown {
  readonly sides: InspectionView['sides'];
  readonly atMs: number;
  readonly content: JSX.Element;
}

/** The state before the frame as a tree, with the differences between the two sides. */
export function StatePanel({ inspection, view }: { inspection: Inspection; view: InspectionView }) {
  // The same node again is not rendered again: what it was made of are live states, which are on their way by then.
  const shown = useRef<Shown | null>(null);
  const nowMs = performance.now();
  const isSame = shown.current?.sides === view.sides;
  const isSoon = view.isPlaying && isSame && nowMs - (shown.current?.atMs ?? 0) < PLAYED_MS;
  if (view.isSettled && !isSoon) {
    const found = view.sides.map((_, side) => inspection.stateOf(side));
    shown.current = { sides: view.sides, atMs: nowMs, content: <Content view={view} found={found} /> };
  } else if (!isSame) {
    shown.current = null;
  }
  return (
    <section class="card state" aria-labelledby="state">
      {shown.current?.content ?? <h2 id="state">State before frame {view.frame}: running…</h2>}
    </section>
  );
}

function Content({ view, found }: { view: InspectionView; found: readonly SideState[] }) {
  const differences = differencesOf(view, found);
  const [a] = found;
  return (
    <>
      <h2 id="state">
        State before frame {view.frame}
        {view.isAsSeen && ' as it was seen'}
        {differences !== null && (
          <span class={differences.length > 0 ? 'count' : 'none'}> {countText(differences)}</span>
        )}
      </h2>
      {found.map((side, at) => (
        <Remark key={at} found={side} name={found.length > 1 ? sideNames[at]! : null} />
      ))}
      {differences !== null && differences.length > 0 && <Differences differences={differences} />}
      {a?.kind === 'state' && <Tree state={a.state} differences={differences ?? []} />}
    </>
  );
}

function differencesOf({ game }: InspectionView, [a, b]: readonly SideState[]): readonly FieldDifference[] | null {
  if (game === null || a?.kind !== 'state' || b?.kind !== 'state') return null;
  return game.game.state.diff(a.state, b.state);
}

function countText({ length }: readonly FieldDifference[]): string {
  if (length === 0) return 'the same in A and B';
  return `${length} ${length === 1 ? 'field differs' : 'fields differ'}`;
}

/** What one should know of a side's state. */
function Remark({ found, name }: { found: SideState; name: string | null }) {
  const prefix = name === null ? '' : `${name}: `;
  if (found.kind === 'none') return <p class="remark">{`${prefix}${found.why}`}</p>;
  if (found.isRecorded) return null;
  return (
    <p class="remark">
      {`${prefix}The recording has another hash here, and its state is not known before the next one that it holds. ` +
        'What is shown is what running it again gives.'}
    </p>
  );
}

function Differences({ differences }: { differences: readonly FieldDifference[] }) {
  return (
    <ScrollBox label="States, as a table">
      <table class="differences">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">A</th>
            <th scope="col">B</th>
          </tr>
        </thead>
        <tbody>
          {differences.slice(0, LISTED_MAX).map((difference) => (
            <tr key={difference.path}>
              <th scope="row">
                <code>{difference.path}</code>
              </th>
              <td>{valueText(difference.a)}</td>
              <td>
                {valueText(difference.b)}
                {distanceText(difference)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {differences.length > LISTED_MAX && <p>and {differences.length - LISTED_MAX} more</p>}
    </ScrollBox>
  );
}

type Marks = readonly FieldDifference[];

function Tree({ state, differences }: { state: unknown; differences: Marks }) {
  // What was opened or closed by hand stays so from frame to frame.
  const [byHand, setByHand] = useState<ReadonlyMap<string, boolean>>(new Map());
  const toggle = (path: string, isOpen: boolean): void => setByHand((before) => new Map(before).set(path, isOpen));
  return <Branch value={state} path="" differences={differences} byHand={byHand} toggle={toggle} />;
}

interface BranchProps {
  readonly value: unknown;
  readonly path: string;
  readonly differences: Marks;
  readonly byHand: ReadonlyMap<string, boolean>;
  readonly toggle: (path: string, isOpen: boolean) => void;
}

function Branch({ value, path, ...rest }: BranchProps) {
  const children = childrenOf(value, path);
  if (children === null) return null;
  return (
    <ul class="tree">
      {children.nodes.map((node) => (
        <Node key={node.path} node={node} {...rest} />
      ))}
      {children.count > children.nodes.length && <li>and {children.count - children.nodes.length} more</li>}
    </ul>
  );
}

function Node({ node, differences, byHand, toggle }: { node: StateNode } & Omit<BranchProps, 'value' | 'path'>) {
  const { own, count } = differencesIn(node.path, differences);
  const children = childrenOf(node.value, node.path);
  if (children === null) {
    return (
      <li class={own === undefined ? '' : 'marked'}>
        <span class="label">{node.label}</span> <Leaf value={node.value} difference={own} />
      </li>
    );
  }
  const isOpen = byHand.get(node.path) ?? (count > 0 || children.count <= OPEN_PARTS_MAX);
  return (
    <li>
      <details
        open={isOpen}
        onToggle={(event) => {
          // Told also of what the page itself opened.
          if (event.currentTarget.open !== isOpen) toggle(node.path, !isOpen);
        }}
      >
        <summary>
          <span class="label">{node.label}</span> <span class="parts">{isOpen ? '' : `${children.count} parts`}</span>
          {count > 0 && <span class="count"> {count} differ</span>}
        </summary>
        {isOpen && (
          <Branch value={node.value} path={node.path} differences={differences} byHand={byHand} toggle={toggle} />
        )}
      </details>
    </li>
  );
}

function Leaf({ value, difference }: { value: unknown; difference: FieldDifference | undefined }) {
  if (difference === undefined) return <span class="value">{leafText(value)}</span>;
  return (
    <span class="value">
      {leafText(difference.a)} <span class="in-b">B: {leafText(difference.b)}</span>
      {distanceText(difference)}
    </span>
  );
}

function leafText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return valueText(value);
  // Such as a generator, whose words are its own.
  return '(opaque)';
}
