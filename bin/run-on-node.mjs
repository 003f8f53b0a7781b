// Runs a program of this folder with Node 24. Plain JavaScript, because it must run on old versions of Node; where the
// one that started it is older, the Node of `npm ci` takes over.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [major] = process.versions.node.split('.').map(Number);
const own = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));

export async function runOnNode24(program) {
  if (major >= 24) await import(`./${program}`);
  else if (existsSync(own)) handOver(fileURLToPath(new URL(program, import.meta.url)));
  else await import('./require-node.mjs');
}

function handOver(program) {
  const child = spawn(own, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both processes, and the child decides what it means.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
  });
}
