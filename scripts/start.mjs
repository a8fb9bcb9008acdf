import { ensureBuilt, ensureInstalled } from './workspace.mjs';

ensureInstalled();
ensureBuilt();
// The one line with the address is for people; the server's own log is for hosts, who set LOG_LEVEL.
process.env.LOG_LEVEL ??= 'warn';
// In this process, so that Ctrl-C reaches the server itself and its exit code is this command's.
await import('../signaling/dist/main.js');
