import { ensureBuilt, ensureInstalled } from './workspace.mjs';

ensureInstalled();
ensureBuilt();
// In this process, so that Ctrl-C reaches the server itself and its exit code is this command's.
await import('../signaling/dist/main.js');
