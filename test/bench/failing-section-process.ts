// The bench with two sections, of which the first fails. `bench.test.ts` runs it in a process of its own.
import { runMain } from '#test/support/run-main.ts';
import { toFigure } from './row.ts';
import { runSections } from './run-sections.ts';

const fail = async () => {
  throw new Error('The service answered 503.');
};
const measure = async () => [{ what: 'a promise', unit: 'ms', ours: toFigure([3, 1, 2]), budget: 5 }];

await runMain(() => runSections({ broken: fail, sound: measure }, process.argv.slice(2)));
