// `npm run build` bundles every function into dist/functions and prints the sizes. With `--check` it fails if a bundle
// exceeds its budget. The CDK app builds what is missing by itself.
import { build } from '#lib/infra/bundle.ts';
import { budgetBreaches, consoleBreaches, kib } from '#lib/infra/bundle-budget.ts';
import { showBuildProgress } from '#lib/infra/bundle-progress.ts';

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { bundles, console: sizes } = await build(showBuildProgress());
  print('function', 'cold start', 'loaded later');
  for (const { entry, eager, lazy } of bundles) print(entry, `${kib(eager)} KiB`, `${kib(lazy)} KiB`);
  console.log(
    `console, compressed: ${kib(sizes.script)} KiB of script, ${kib(sizes.style)} KiB of style, ${sizes.requests} requests; ${kib(sizes.layoutWorker)} KiB for the first picture; ${kib(sizes.editor)} KiB for the editor, ${kib(sizes.flowWorker)} KiB for its check; at most ${kib(Math.max(...sizes.pages.map(({ bytes }) => bytes)))} KiB for another page`,
  );
  if (!process.argv.includes('--check')) return;
  const breaches = [...budgetBreaches(bundles), ...consoleBreaches(sizes)];
  if (breaches.length > 0) throw new Error(breaches.join('\n'));
  console.log(`${bundles.length} functions and the console are within their budgets.`);
}

function print(...[first, ...others]: readonly [string, ...string[]]): void {
  console.log(first.padEnd(28) + others.map((cell) => cell.padStart(14)).join(''));
}
