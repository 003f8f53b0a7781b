// `npm run migrate -- <job>`: an operator starts or continues a migration of stored items and watches it, with their own
// AWS credentials (lambda:InvokeFunction on the function that migrates, and with --tenant cloudformation:DescribeStacks).
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { giveUp, giveUpOnAws } from '#lib/cli/give-up.ts';
import { invokeFunction } from '#lib/cli/invoke-function.ts';
import { commandLine } from '#lib/cli/script-options.ts';
import { readStackOutputs } from '#lib/cli/stack-outputs.ts';
import { tenantStackName } from '#lib/infra/stack-names.ts';
import { type JobName, jobNames } from '#lib/migration/job-names.ts';
import { type MigrationEvent, type Progress, progress, writeUnits } from '#lib/migration/progress.ts';

const usage = `Usage: npm run migrate -- --tenant <id> <job> [options]

  <job>              ${jobNames.join(', ')}
  --tenant <id>      the id of a deployed tenant, as in tenants/<id>.json, whose stack names the function that migrates
  --function <name>  instead of --tenant: the output MigrationFunctionName of the stack; "Migrate" for a running npm start
  --status           only print how far the job is
  --write-units <n>  write units that it may use in a second, ${writeUnits.min} to ${writeUnits.max} (default ${writeUnits.default})

Starts the job, or continues it where it was interrupted, and prints its progress until it is done. It can be interrupted
and repeated at any time. A job that is done begins again, and changes only what is still in the old form.`;

const { readOptions, refuse } = commandLine(usage);
const { values, positionals } = readArguments();
const job = checkedJob();
const write_units = checkedUnits();
if ((values.tenant === undefined) === (values.function === undefined))
  refuse('Expected either --tenant or --function.');
const name = await findFunction().catch((error) => giveUpOnAws(error, `${job} was not started`));
const last = await run().catch((error) =>
  giveUpOnAws(error, `${job} was interrupted; the same command continues it`),
);
if (last.failed > 0)
  giveUp(
    `${last.failed} items could not be migrated, among them ${last.failures.join(', ')}; the log of the function has the reasons.`,
  );

async function run(): Promise<Progress> {
  if (values.status) return print(await invoke('status'));
  let now = print(await invoke('start'));
  while (now.state === 'running') {
    if (now.is_held) await setTimeout(2_000);
    now = print(await invoke('continue'));
  }
  return now;
}

async function invoke(action: MigrationEvent['action']): Promise<Progress> {
  const event: MigrationEvent = { job, action, write_units };
  return progress.parse(await invokeFunction(name, event));
}

function print(now: Progress): Progress {
  const { state, seen, changed, failed, started_at } = now;
  const since = started_at === undefined ? 'it was never started' : `started ${started_at}`;
  const held = now.is_held ? ', another process works on it' : '';
  console.error(
    `${job}: ${state}, ${seen} items seen, ${changed} changed, ${failed} failed, ${since}${held}`,
  );
  return now;
}

async function findFunction(): Promise<string> {
  if (values.function !== undefined) return values.function;
  const { MigrationFunctionName } = await readStackOutputs(values.tenant ?? '');
  if (MigrationFunctionName !== undefined) return MigrationFunctionName;
  throw new Error(
    `The stack ${tenantStackName(values.tenant ?? '')} has no MigrationFunctionName; deploy it first.`,
  );
}

function checkedJob(): JobName {
  const [given, ...others] = positionals;
  if (others.length > 0) refuse('Expected one job.');
  return z.enum(jobNames).safeParse(given).data ?? refuse(`Expected a job: ${jobNames.join(', ')}.`);
}

function checkedUnits(): number {
  const units = Number(values['write-units']);
  if (Number.isInteger(units) && units >= writeUnits.min && units <= writeUnits.max) return units;
  return refuse(`--write-units must be an integer from ${writeUnits.min} to ${writeUnits.max}.`);
}

function readArguments() {
  const text = { type: 'string' } as const;
  return readOptions({
    tenant: text,
    function: text,
    status: { type: 'boolean' },
    'write-units': { ...text, default: String(writeUnits.default) },
  });
}
