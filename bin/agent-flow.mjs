#!/usr/bin/env node
// `npx agent-flow`: runs bin/flow.ts with Node 24. Plain JavaScript, because npx starts it with whichever Node is first on
// the PATH; where that is older, the Node of `npm ci` takes over.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [major] = process.versions.node.split('.').map(Number);
const own = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));

if (major >= 24) await import('./flow.ts');
else if (existsSync(own)) handOver();
else await import('./require-node.mjs');

function handOver() {
  const program = fileURLToPath(new URL('./flow.ts', import.meta.url));
  const child = spawn(own, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both processes, and the child decides what it means.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
  });
}
