// `npm run backup`: an operator sees to which times a tenant can be restored, and makes backups that stay, with their own
// AWS credentials (dynamodb:DescribeContinuousBackups, ListBackups and CreateBackup on both tables, and with --tenant
// cloudformation:DescribeStacks).
import { giveUpOnAws } from '#lib/cli/give-up.ts';
import { commandLine } from '#lib/cli/script-options.ts';
import {
  namesOneTenant,
  oneTenant,
  readTenant,
  tenantOptions,
  tenantUsage,
} from '#lib/cli/tenant-environment.ts';
import { createBackup, listBackups, readWindow } from '#lib/dynamo/table-backups.ts';

const usage = `Usage: npm run backup -- list --tenant <id>
       npm run backup -- create --tenant <id> --name <name>

${tenantUsage}
  --name <name>           of the backup: 3 to 100 letters, digits, ".", "_" and "-"

list prints from when to when both tables can be restored to any second (point-in-time recovery, 35 days), and the backups
that were made on demand. create makes one of each table, which stays until it is deleted; they are seconds apart.
npm run restore takes a time or the name of a backup.`;

const { readOptions, refuse } = commandLine(usage);
const { values, positionals } = readOptions({ ...tenantOptions, name: { type: 'string' } });
const [command] = positionals;
if (positionals.length !== 1 || (command !== 'list' && command !== 'create'))
  refuse('Expected the command "list" or "create".');
if (!namesOneTenant(values)) refuse(oneTenant);
if (command === 'list') await list().catch((error) => giveUpOnAws(error, 'Backups were not listed'));
else
  await create(checkedName()).catch((error) => giveUpOnAws(error, 'The backup was not made of both tables'));

async function list(): Promise<void> {
  for (const table of await readTables()) {
    const [window, backups] = await Promise.all([readWindow(table), listBackups(table)]);
    const times = window && `${window.earliest.toISOString()} to ${window.latest.toISOString()}`;
    console.log(`${table}: ${times ?? 'point-in-time recovery is off'}`);
    for (const { name, status, createdAt } of backups)
      console.log(`  ${name}  ${createdAt.toISOString()}  ${status}`);
  }
}

async function create(name: string): Promise<void> {
  const tables = await readTables();
  await Promise.all(tables.map((table) => createBackup(table, name)));
  console.error(
    `${name} is being made of ${tables.join(' and ')}; npm run backup -- list shows when it is AVAILABLE.`,
  );
}

async function readTables(): Promise<string[]> {
  const { CONTROL_TABLE = '', RUNS_TABLE = '' } = await readTenant(values, ['CONTROL_TABLE', 'RUNS_TABLE']);
  return [CONTROL_TABLE, RUNS_TABLE];
}

function checkedName(): string {
  const { name = '' } = values;
  return /^[\w.-]{3,100}$/.test(name)
    ? name
    : refuse('--name must be 3 to 100 letters, digits, ".", "_" and "-".');
}
