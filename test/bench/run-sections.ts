// Measures sections, prints their rows as one table, and fails when a section fails or a promise is missed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { judge, type Row } from './row.ts';
import { markdownTable, textTable } from './table.ts';

export type Sections = Readonly<Record<string, (options: { readonly rows: number }) => Promise<Row[]>>>;

export async function runSections(sections: Sections, args: readonly string[]): Promise<void> {
  const { markdown, json, only, rows: rowsMax } = parseOptions(args);
  const rows: Row[] = [];
  const failures: string[] = [];
  for (const [name, measure] of chooseSections(sections, only)) {
    if (only !== undefined) console.error(`Measuring ${name}…`);
    try {
      rows.push(
        ...(only === undefined ? await measureApart(name, rowsMax) : await measure({ rows: rowsMax })),
      );
    } catch (error) {
      // The other sections are still measured and printed.
      console.error(error);
      failures.push(name);
    }
  }
  console.log(markdown ? markdownTable(rows) : textTable(rows));
  if (json !== undefined) await writeFile(json, `${JSON.stringify(report(rows, failures), null, 2)}\n`);
  const missed = rows.filter((row) => judge(row) === 'missed').map(({ what }) => what);
  const reasons = [
    ...(failures.length > 0 ? [`Not measured: ${failures.join(', ')}.`] : []),
    ...(missed.length > 0 ? [`Missed: ${missed.join('; ')}.`] : []),
  ];
  if (reasons.length > 0) throw new Error(reasons.join(' '));
}

/** In a process of its own: clients of AWS keep the endpoint of their first call, and sections start hosts of their own. */
async function measureApart(name: string, rowsMax: number): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  try {
    const file = join(folder, 'rows.json');
    const script = process.argv[1] ?? '';
    const args = ['--only', name, '--rows', String(rowsMax), '--json', file];
    const child = spawn(process.execPath, [...process.execArgv, script, ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await once(child, 'exit');
    // What failed is printed there. A promise that was missed is found again by its row.
    const { rows, notMeasured } = measured.parse(JSON.parse(await readFile(file, 'utf8')));
    if (notMeasured.length > 0) throw new Error(`The section ${name} failed.`);
    return rows;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const measured = z.object({
  rows: z.array(z.custom<Row>((value) => typeof value === 'object')),
  notMeasured: z.array(z.string()),
});

function parseOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      markdown: { type: 'boolean' },
      json: { type: 'string' },
      only: { type: 'string' },
      rows: { type: 'string', default: '10000' },
    },
  });
  const rows = Number(values.rows);
  if (!Number.isInteger(rows) || rows < 100)
    throw new Error(`--rows must be an integer from 100, not "${values.rows}".`);
  return { ...values, rows };
}

function chooseSections(sections: Sections, only: string | undefined) {
  const chosen = Object.entries(sections).filter(([name]) => only === undefined || name === only);
  if (chosen.length > 0) return chosen;
  throw new Error(`--only must be one of ${Object.keys(sections).join(', ')}, not "${only}".`);
}

function report(rows: readonly Row[], notMeasured: readonly string[]) {
  const [cpu] = cpus();
  const machine = { node: process.version, cpu: cpu?.model ?? 'unknown', cores: cpus().length };
  return { machine, notMeasured, rows: rows.map((row) => ({ ...row, verdict: judge(row) })) };
}
