// `npm run build` bundles every function into dist/ and prints the sizes. With `--check` it fails if a bundle
// exceeds its budget. The files of the console go beside the function that serves them.
import { join } from 'node:path';
import { bundleAll } from '#lib/infra/bundle.ts';
import { budgetBreaches, consoleBreaches, kib } from '#lib/infra/bundle-budget.ts';
import { buildConsole, consoleEntry } from '#lib/infra/bundle-console.ts';
import { dist } from '#lib/infra/bundle-folder.ts';

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const bundles = await bundleAll(showProgress);
  print('function', 'cold start', 'loaded later');
  for (const { entry, eager, lazy } of bundles) print(entry, `${kib(eager)} KiB`, `${kib(lazy)} KiB`);
  const sizes = await buildConsole(join(dist, consoleEntry, 'files'), { isCompressed: true });
  console.log(
    `console, compressed: ${kib(sizes.script)} KiB of script, ${kib(sizes.style)} KiB of style, ${sizes.requests} requests; ${kib(sizes.layoutWorker)} KiB for the first picture`,
  );
  if (!process.argv.includes('--check')) return;
  const breaches = [...budgetBreaches(bundles), ...consoleBreaches(sizes)];
  if (breaches.length > 0) throw new Error(breaches.join('\n'));
  console.log(`${bundles.length} functions and the console are within their budgets.`);
}

function print(...[first, ...others]: readonly [string, ...string[]]): void {
  console.log(first.padEnd(28) + others.map((cell) => cell.padStart(14)).join(''));
}

/** To stderr: one line that changes in a terminal, else a line for each quarter. */
function showProgress(done: number, total: number): void {
  const text =
    done === 0 ? `Reading the code of ${total} functions …` : `Built ${done} of ${total} functions`;
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${text}${done === total ? '\n' : ''}`);
  else if (done % Math.ceil(total / 4) === 0 || done === total) console.error(text);
}
