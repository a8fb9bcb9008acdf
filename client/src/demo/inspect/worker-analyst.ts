import type { AnalysisAnswer, AnalysisRequest } from './analysis-worker.js';
import type { Analyst } from './inspection.js';

function startWorker(): Worker {
  return new Worker(new URL('./analysis-worker.ts', import.meta.url), { type: 'module' });
}

/**
 * Runs the search in a worker of its own, which an abort ends at once. The first worker is started ahead of the first
 * search: so its code is there also when the network is gone by then.
 */
export function workerAnalyst(moduleUrl: string | null): Analyst {
  let ready: Worker | null = startWorker();
  return (files, gameId, onProgress, signal) => {
    const worker = ready ?? startWorker();
    ready = null;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        worker.terminate();
        signal.removeEventListener('abort', abort);
      };
      const abort = (): void => {
        end();
        reject(new Error('The search was cancelled.'));
      };
      signal.addEventListener('abort', abort);
      worker.addEventListener('message', ({ data }: MessageEvent<AnalysisAnswer>) => {
        if (data.kind === 'progress') {
          onProgress(data.done, data.total);
          return;
        }
        end();
        if (data.kind === 'found') resolve(data.finding);
        else reject(new Error(data.message));
      });
      worker.addEventListener('error', () => {
        end();
        reject(new Error('The search could not be started in this browser.'));
      });
      const request: AnalysisRequest = { files, gameId, moduleUrl };
      worker.postMessage(request);
    });
  };
}
