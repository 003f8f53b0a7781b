// `npm run restore`: an operator restores both tables of a tenant into new ones, with their own AWS credentials (on the
// tables dynamodb:DescribeTable, DescribeContinuousBackups, DescribeTimeToLive, ListTagsOfResource, ListBackups,
// RestoreTableToPointInTime or RestoreTableFromBackup, UpdateTimeToLive, UpdateContinuousBackups, UpdateTable, TagResource,
// and the actions on items that DynamoDB asks of whoever restores: Query, Scan, GetItem, PutItem, UpdateItem, DeleteItem,
// BatchWriteItem; with --tenant cloudformation:DescribeStacks). What is in use is not changed.
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { giveUpOnAws } from '#lib/cli/give-up.ts';
import { commandLine } from '#lib/cli/script-options.ts';
import {
  namesOneTenant,
  oneTenant,
  readTenant,
  tenantOptions,
  tenantUsage,
} from '#lib/cli/tenant-environment.ts';
import {
  beginRestore,
  copySettings,
  isRestored,
  listBackups,
  type Restore,
  readSettings,
  readWindow,
} from '#lib/dynamo/table-backups.ts';

const usage = `Usage: npm run restore -- --tenant <id> --at <time>
       npm run restore -- --tenant <id> --backup <name>

${tenantUsage}
  --at <time>             RFC 3339, such as 2026-11-28T09:15:00Z, within the times of npm run backup -- list
  --backup <name>         instead: a backup that npm run backup -- create has made

Restores both tables into new ones and gives these the settings that a restore does not keep: expiry (TTL), point-in-time
recovery, deletion protection, tags. The tables in use and the KMS keys stay as they are. Prints how the tenant takes the
new tables. It can be interrupted; the same command continues.`;

const { readOptions, refuse } = commandLine(usage);
const text = { type: 'string' } as const;
const { values, positionals } = readOptions({ ...tenantOptions, at: text, backup: text });
if (positionals.length > 0) refuse('Expected no command.');
if (!namesOneTenant(values)) refuse(oneTenant);
if ((values.at === undefined) === (values.backup === undefined)) refuse('Expected either --at or --backup.');
const at = values.at === undefined ? undefined : checkedTime(values.at);
await restoreAll().catch((error) => giveUpOnAws(error, 'Not restored; the same command continues'));

async function restoreAll(): Promise<void> {
  const { CONTROL_TABLE = '', RUNS_TABLE = '' } = await readTenant(values, ['CONTROL_TABLE', 'RUNS_TABLE']);
  const restores = await Promise.all([CONTROL_TABLE, RUNS_TABLE].map(planRestore));
  for (const restore of restores) await beginRestore(restore);
  for (const restore of restores) await finish(restore);
  const [control, runs] = restores.map(({ target }) => target);
  const tenant =
    values.tenant === undefined ? `--environment ${values.environment}` : `--tenant ${values.tenant}`;
  console.error(
    'Restored. Verify the new tables, then let the tenant take them: docs/operations.md, "Restore a tenant".',
  );
  console.error(`  npm run verify -- ${tenant} --control-table ${control} --runs-table ${runs}`);
  console.log(JSON.stringify({ tables: { control, runs } }));
}

async function planRestore(source: string): Promise<Restore> {
  if (at) {
    const window = await readWindow(source);
    if (!window) throw new Error(`Point-in-time recovery of ${source} is off.`);
    if (at < window.earliest || at > window.latest)
      throw new Error(
        `${source} can be restored to times from ${window.earliest.toISOString()} to ${window.latest.toISOString()}.`,
      );
    return {
      source,
      target: nameTarget(source, `r${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`),
      point: { at },
    };
  }
  const backup = (await listBackups(source)).find(({ name }) => name === values.backup);
  if (backup?.status !== 'AVAILABLE')
    throw new Error(`${source} has no backup ${values.backup} that is AVAILABLE.`);
  return { source, target: nameTarget(source, `b-${backup.name}`), point: { backupArn: backup.arn } };
}

/** DynamoDB takes 255 characters. A table that was restored before does not get the mark of that as well. */
function nameTarget(source: string, mark: string): string {
  const base = source.replace(/-restored-.*$/, '');
  return `${base.slice(0, 255 - mark.length - '-restored-'.length)}-restored-${mark}`;
}

async function finish({ source, target }: Restore): Promise<void> {
  // A restore takes from minutes to hours.
  for (let waitMs = 250; !(await isRestored(target)); waitMs = Math.min(waitMs * 2, 15_000)) {
    console.error(`${target}: being restored …`);
    await setTimeout(waitMs);
  }
  const wanted = await readSettings(source);
  await copySettings(target, wanted);
  const has = await readSettings(target);
  const expected = {
    ...wanted,
    isProtected: true,
    hasPointInTimeRecovery: true,
    tags: { ...has.tags, ...wanted.tags },
  };
  if (!isDeepStrictEqual(has, expected))
    throw new Error(`${target} has other settings than ${source}: ${JSON.stringify(has)}.`);
  console.error(`${target}: restored, with the settings of ${source}.`);
}

function checkedTime(given: string): Date {
  const time = new Date(given);
  if (
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(given) &&
    !Number.isNaN(time.getTime())
  ) {
    // DynamoDB restores to the second.
    time.setUTCMilliseconds(0);
    return time;
  }
  return refuse(`--at ${given}: must be a time such as 2026-11-28T09:15:00Z.`);
}
