// `npm run verify`: an operator checks that all items of a tenant agree, with their own AWS credentials (dynamodb:Scan,
// Query, GetItem and BatchGetItem on both tables and their indexes, kms:Decrypt with the flow key, and with --tenant
// cloudformation:DescribeStacks). It only reads.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { giveUp, giveUpOnAws } from '#lib/cli/give-up.ts';
import { plainText } from '#lib/cli/plain-text.ts';
import { commandLine } from '#lib/cli/script-options.ts';
import {
  enterTenant,
  namesOneTenant,
  oneTenant,
  readTenant,
  tenantOptions,
  tenantUsage,
} from '#lib/cli/tenant-environment.ts';
import { checks } from '#lib/verify/checks.ts';
import {
  countFindings,
  countItems,
  doneOf,
  findingsMax,
  newWalk,
  segmentsMax,
  verify,
  type Walk,
} from '#lib/verify/verify.ts';

const usage = `Usage: npm run verify -- --tenant <id> [options]

${tenantUsage}
  --keep-sealed           decrypt nothing: for operators who may not use the KMS key of the tenant
  --segments <n>          parts of each table that are read at the same time, 1 to ${segmentsMax} (default 4)
  --state <file>          stores how far it is; the same command continues from there after an interruption
  --json                  print the result as JSON
  --checks                only print the checks: what must agree, and what to do where it does not

Reads all items of both tables once and changes nothing. What requests change meanwhile is read a second time before it
is reported. Prints keys of items, never what they hold.

Exit codes: 0 all agrees, 1 it was interrupted and says nothing about the tenant, 2 the command line is not valid,
3 something does not agree.`;

const { readOptions, refuse } = commandLine(usage);
const { values, positionals } = readArguments();
if (positionals.length > 0) refuse('Expected no command.');
if (values.checks) {
  for (const [name, { what, cure }] of Object.entries(checks)) console.log(`${name}: ${what}.\n  ${cure}`);
  process.exit(0);
}
if (!namesOneTenant(values)) refuse(oneTenant);
const segments = checkedSegments();
const needed = ['TENANT_ID', 'CONTROL_TABLE', 'RUNS_TABLE', 'FLOW_KEY_ID'] as const;
enterTenant(await readTenant(values, needed).catch((error) => giveUpOnAws(error, 'Nothing was verified')));
const place = `${process.env.CONTROL_TABLE} ${process.env.RUNS_TABLE}`;
const walk = await walkAll();
if (values.state !== undefined) rmSync(values.state, { force: true });
print(walk);
process.exit(countFindings(walk) === 0 ? 0 : 3);

async function walkAll(): Promise<Walk> {
  const started = startOrContinue();
  let shownAt = Date.now();
  return await verify(started, {
    keepsSealed: values['keep-sealed'] ?? false,
    now: Date.now,
    settle: async () => await setTimeout(1_000),
    note: (walk) => {
      store(walk);
      if (Date.now() - shownAt < 1_000) return;
      shownAt = Date.now();
      console.error(describeProgress(walk));
    },
  }).catch((error) =>
    giveUpOnAws(error, `Interrupted${values.state === undefined ? '' : '; the same command continues'}`),
  );
}

function startOrContinue(): Walk {
  const { state } = values;
  if (state === undefined || !existsSync(state)) return newWalk(segments);
  try {
    const stored = JSON.parse(readFileSync(state, 'utf8'));
    if (stored.place === place) return stored.walk;
  } catch (error) {
    giveUp(error, `${state} cannot be read`);
  }
  return giveUp(`${state} is of other tables; delete it, or name another file.`);
}

/** A process that dies while it writes leaves the state from before. */
function store(walk: Walk): void {
  if (values.state === undefined) return;
  const next = `${values.state}.next`;
  writeFileSync(next, JSON.stringify({ place, walk }), { mode: 0o600 });
  renameSync(next, values.state);
}

function describeProgress(walk: Walk): string {
  const done = `control ${doneOf(walk, 'control')}, runs ${doneOf(walk, 'runs')}`;
  return `${countItems(walk)} items, ${countFindings(walk)} findings; segments done: ${done}`;
}

function print(walk: Walk): void {
  const { items, leftovers, found, findings } = walk;
  if (values.json) {
    const tables = { control: process.env.CONTROL_TABLE, runs: process.env.RUNS_TABLE };
    const tenant = process.env.TENANT_ID;
    console.log(JSON.stringify({ tenant, tables, items, leftovers, found, findings }, undefined, 2));
    return;
  }
  for (const [kind, count] of Object.entries(items)) console.log(`${String(count).padStart(9)} ${kind}`);
  for (const [kind, count] of Object.entries(leftovers))
    console.log(`${count} of kind ${kind} are left over from writers that died; nothing reads them.`);
  for (const { check, table, pk, sk } of findings) console.log(plainText(`${check}: ${table} ${pk} ${sk}`));
  if (countFindings(walk) > findingsMax) console.log(`Only the first ${findingsMax} findings are listed.`);
  for (const [name, { what, cure }] of Object.entries(checks)) {
    const count = found[name];
    if (count !== undefined) console.log(`\n${name}, ${count} found: expected that ${what}.\n  ${cure}`);
  }
  const verdict = countFindings(walk) === 0 ? 'All agrees' : `${countFindings(walk)} findings`;
  console.error(`${verdict}: ${countItems(walk)} items of ${process.env.TENANT_ID}.`);
}

function checkedSegments(): number {
  const given = Number(values.segments);
  if (Number.isInteger(given) && given >= 1 && given <= segmentsMax) return given;
  return refuse(`--segments must be an integer from 1 to ${segmentsMax}.`);
}

function readArguments() {
  return readOptions({
    ...tenantOptions,
    'keep-sealed': { type: 'boolean' },
    segments: { type: 'string', default: '4' },
    state: { type: 'string' },
    json: { type: 'boolean' },
    checks: { type: 'boolean' },
  });
}
