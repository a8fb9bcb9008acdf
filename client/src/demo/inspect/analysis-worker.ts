import { analyse, type Finding } from './analysis.js';
import { builtInGames, gameOfModule } from './games.js';

/** What the page asks of its worker. */
export interface AnalysisRequest {
  readonly files: readonly Uint8Array[];
  readonly gameId: string;
  /** Where the author's game is served; null when there is none. */
  readonly moduleUrl: string | null;
}

export type AnalysisAnswer =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'found'; readonly finding: Finding }
  | { readonly kind: 'failed'; readonly message: string };

function answer(message: AnalysisAnswer): void {
  postMessage(message);
}

async function work({ files, gameId, moduleUrl }: AnalysisRequest): Promise<void> {
  const author = moduleUrl === null ? [] : [gameOfModule(await import(/* @vite-ignore */ moduleUrl))];
  const inspected = [...author, ...builtInGames].find(({ game }) => game.id === gameId);
  const onProgress = (done: number, total: number): void => answer({ kind: 'progress', done, total });
  answer({ kind: 'found', finding: analyse(files, inspected?.game, onProgress) });
}

addEventListener('message', ({ data }: MessageEvent<AnalysisRequest>) => {
  work(data).catch((error: unknown) => {
    answer({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  });
});
