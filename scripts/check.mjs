import { bundleSimplePeer, ensureInstalled, runTool } from './workspace.mjs';

ensureInstalled();
runTool('typescript/bin/tsc', ['-b', '.']);
runTool('@biomejs/biome/bin/biome', ['check', '.']);
bundleSimplePeer();
await import('./walls.mjs');
await import('./sizes.mjs');
