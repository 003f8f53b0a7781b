// `npm run import`: an operator writes an organisation from an archive into a tenant, with their own AWS credentials (on
// both tables dynamodb:GetItem, Query, PutItem and BatchWriteItem, kms:GenerateDataKey with the flow key, and
// with --tenant cloudformation:DescribeStacks).
import { readFileSync } from 'node:fs';
import {
  beginImport,
  endImport,
  type ImportOptions,
  ImportRefusal,
  importRecords,
  inspectArchive,
} from '#lib/archive/import-organisation.ts';
import { type Opener, readSealed } from '#lib/archive/seal.ts';
import { giveUp, giveUpOnAws } from '#lib/cli/give-up.ts';
import { readSecret } from '#lib/cli/read-secret.ts';
import { commandLine } from '#lib/cli/script-options.ts';
import {
  enterTenant,
  namesOneTenant,
  oneTenant,
  readTenant,
  tenantOptions,
  tenantUsage,
} from '#lib/cli/tenant-environment.ts';

const usage = `Usage: npm run import -- --tenant <id> --in <file> [options]

${tenantUsage}
  --in <file>             an archive that npm run export has written
  --identity <file>       the secret keys of age that open it. Without it a passphrase is asked for, or read from stdin
  --start-schedules       let schedules run at once; by default they are switched off, since they run at the source
  --resume                continue an import that was interrupted

Reads the archive to its end before it writes anything. Refuses an organisation that the tenant has. Cards get the
addresses of the tenant, and all that is encrypted is encrypted for it. API keys are listed as revoked: issue new ones.`;

const { readOptions, refuse } = commandLine(usage);
const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const { values, positionals } = readOptions({
  ...tenantOptions,
  in: text,
  identity: text,
  'start-schedules': flag,
  resume: flag,
});
if (positionals.length > 0) refuse('Expected no command.');
if (!namesOneTenant(values)) refuse(oneTenant);
const file = values.in ?? refuse('The option --in is missing.');
const opener = await readOpener().catch((error) => giveUp(error, 'Nothing was imported'));
const inspected = await inspectArchive(readSealed(file, opener)).catch((error) =>
  giveUp(error, 'Nothing was imported; the archive cannot be opened'),
);
const { header } = inspected;
await enter().catch((error) => fail(error, 'Nothing was imported'));
let shownAt = Date.now();
const options: ImportOptions = {
  inspected,
  at: new Date().toISOString(),
  startSchedules: values['start-schedules'],
  note: showProgress,
};
await importRecords(readSealed(file, opener), options).catch((error) =>
  fail(error, 'Interrupted; the same command with --resume continues'),
);
await endImport(header).catch((error) =>
  fail(error, 'Interrupted; the same command with --resume continues'),
);
console.error(
  `${header.orgid} is imported from ${header.tenant}, ${inspected.records} items. Verify the tenant: npm run verify.`,
);
if (!header.with_secrets)
  console.error('The archive has no connections and no signing secrets: store them again.');

async function enter(): Promise<void> {
  const needed = ['TENANT_ID', 'CONTROL_TABLE', 'RUNS_TABLE', 'FLOW_KEY_ID', 'GATEWAY_URL'] as const;
  enterTenant(await readTenant(values, needed));
  await beginImport(header, values.resume);
}

async function readOpener(): Promise<Opener> {
  if (values.identity === undefined) return { passphrase: await readSecret('The passphrase of the archive') };
  const lines = readFileSync(values.identity, 'utf8')
    .split('\n')
    .map((line) => line.trim());
  return { identities: lines.filter((line) => line !== '' && !line.startsWith('#')) };
}

function fail(error: unknown, what: string): never {
  return error instanceof ImportRefusal ? giveUp(error, what) : giveUpOnAws(error, what);
}

function showProgress(imported: number): void {
  if (Date.now() - shownAt < 1_000) return;
  shownAt = Date.now();
  console.error(`${imported} of ${inspected.records} items …`);
}
