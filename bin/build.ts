// `npm run build` bundles every function into dist/ and prints the sizes. With `--check` it fails if a bundle
// exceeds its budget.
import { bundleAll } from '#lib/infra/bundle.ts';
import { budgetBreaches, kib } from '#lib/infra/bundle-budget.ts';

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const bundles = await bundleAll();
  print('function', 'cold start', 'loaded later');
  for (const { entry, eager, lazy } of bundles) print(entry, `${kib(eager)} KiB`, `${kib(lazy)} KiB`);
  if (!process.argv.includes('--check')) return;
  const breaches = budgetBreaches(bundles);
  if (breaches.length > 0) throw new Error(breaches.join('\n'));
  console.log(`${bundles.length} functions are within their budgets.`);
}

function print(...[first, ...others]: readonly [string, ...string[]]): void {
  console.log(first.padEnd(28) + others.map((cell) => cell.padStart(14)).join(''));
}
