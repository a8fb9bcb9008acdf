import { useEffect, useState } from 'preact/hooks';
import type { Inspection } from './inspection.js';
import { type ReadFile, readFile } from './opened.js';

/** Reads files into the inspection. */
async function open(inspection: Inspection, files: Iterable<File>): Promise<void> {
  try {
    const read: ReadFile[] = [];
    // A list of files is empty again once its field is.
    for (const file of Array.from(files)) {
      read.push(readFile({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) }));
      // Long matches take a while to read: between two the page goes on.
      await new Promise((resolve) => setTimeout(resolve));
    }
    if (read.length > 0) inspection.add(read);
  } catch {
    inspection.refuse('A file could not be read. It may have been moved, or be a folder.');
  }
}

/** A button that opens the system's file dialog. */
export function ChooseFiles({ inspection, label }: { inspection: Inspection; label: string }) {
  return (
    <label class="choose">
      <span>{label}</span>
      <input
        type="file"
        class="visually-hidden"
        accept=".rpl,.rpr"
        multiple
        onChange={(event) => {
          const { files } = event.currentTarget;
          if (files !== null) void open(inspection, files);
          // The same file can then be chosen again.
          event.currentTarget.value = '';
        }}
      />
    </label>
  );
}

/** Takes files that are dropped anywhere on the page; returns whether some are held over it. */
export function useDroppedFiles(inspection: Inspection): boolean {
  const [isDragged, setDragged] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent): void => {
      event.preventDefault();
      setDragged(true);
    };
    const leave = (event: DragEvent): void => {
      // Leaving one element of the page for another says so too.
      if (event.relatedTarget === null) setDragged(false);
    };
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      setDragged(false);
      if (event.dataTransfer !== null) void open(inspection, event.dataTransfer.files);
    };
    document.addEventListener('dragover', over);
    document.addEventListener('dragleave', leave);
    document.addEventListener('drop', drop);
    return () => {
      document.removeEventListener('dragover', over);
      document.removeEventListener('dragleave', leave);
      document.removeEventListener('drop', drop);
    };
  }, [inspection]);
  return isDragged;
}

/** The page before anything is opened. */
export function OpenFiles({ inspection }: { inspection: Inspection }) {
  return (
    <section class="card opening" aria-labelledby="opening">
      <h2 id="opening">Drop one or two recordings here</h2>
      <p>
        One <code>.rpl</code> file is run again and compared with what it says. Two, each recorded on one side of the
        same match, are compared with each other: the page names the first frame where they part, and the field. An{' '}
        <code>.rpr</code> report of a desync has both.
      </p>
      <ChooseFiles inspection={inspection} label="Choose files" />
      <p>
        The files stay in this page: nothing is sent or kept. A match’s page has a button that downloads its recording.
      </p>
    </section>
  );
}
