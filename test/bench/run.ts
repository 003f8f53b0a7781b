// `npm run bench`: measures what the project promises, beside its peers, prints one table, and fails when a promise is missed.
// `--markdown` prints the table for the README, `--json FILE` also writes the figures there, `--only NAME` measures one section, and
// `--rows N` sets the largest list: 100000 takes minutes to fill.
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { runMain } from '#test/support/run-main.ts';
import { bundleRows } from './bundle-size.ts';
import { engineRows } from './engine.ts';
import { importRows } from './import-time.ts';
import { loadRows } from './load.ts';
import { registryRows } from './registry.ts';
import { type Row, verdictOf } from './row.ts';
import { startRows } from './start-time.ts';
import { markdownTable, textTable } from './table.ts';
import { triggerRows } from './triggers.ts';

/** In this order: the import takes the bundles that are built before it. */
const sections: Readonly<Record<string, (options: { readonly rows: number }) => Promise<Row[]>>> = {
  bundles: bundleRows,
  import: importRows,
  start: startRows,
  engine: engineRows,
  triggers: triggerRows,
  load: loadRows,
  registry: ({ rows }) => registryRows(rows),
};

await runMain(main);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      markdown: { type: 'boolean' },
      json: { type: 'string' },
      only: { type: 'string' },
      rows: { type: 'string', default: '10000' },
    },
  });
  const rows: Row[] = [];
  const failures: string[] = [];
  for (const [name, measure] of chosen(values.only)) {
    console.error(`Measuring ${name}…`);
    try {
      rows.push(...(await measure({ rows: Number(values.rows) })));
    } catch (error) {
      // The other sections are still measured and shown.
      console.error(error);
      failures.push(name);
    }
  }
  console.log(values.markdown ? markdownTable(rows) : textTable(rows));
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(report(rows), null, 2)}\n`);
  const missed = rows.filter((row) => verdictOf(row) === 'missed').map(({ what }) => what);
  if (failures.length > 0 || missed.length > 0)
    throw new Error(
      [
        failures.length > 0 && `Not measured: ${failures.join(', ')}.`,
        missed.length > 0 && `Missed: ${missed.join('; ')}.`,
      ]
        .filter(Boolean)
        .join(' '),
    );
}

function chosen(only: string | undefined) {
  const found = Object.entries(sections).filter(([name]) => only === undefined || name === only);
  if (found.length > 0) return found;
  throw new Error(`--only: expected one of ${Object.keys(sections).join(', ')}, got "${only}".`);
}

function report(rows: readonly Row[]) {
  const [cpu] = cpus();
  const machine = { node: process.version, cpu: cpu?.model ?? 'unknown', cores: cpus().length };
  return { machine, rows: rows.map((row) => ({ ...row, verdict: verdictOf(row) })) };
}
