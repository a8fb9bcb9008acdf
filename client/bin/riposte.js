#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/cli/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  console.error('The riposte command is not built yet: run "npm run build" first.');
  process.exitCode = 2;
}
