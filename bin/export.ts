// `npm run export`: an operator writes all that an organisation has into one sealed file, with their own AWS credentials
// (dynamodb:Scan, Query and GetItem on both tables, kms:Decrypt with the flow key, and with --tenant
// cloudformation:DescribeStacks). It only reads.
import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Disagreement } from '#lib/archive/agreeing-parts.ts';
import { exportOrganisation } from '#lib/archive/export-organisation.ts';
import { archiveVersion, type Header, writeLine } from '#lib/archive/format.ts';
import { createEncrypter, writeSealed } from '#lib/archive/seal.ts';
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
import { orgid } from '#lib/ids.ts';

const usage = `Usage: npm run export -- --tenant <id> --org <orgid> --out <file> [options]

${tenantUsage}
  --org <orgid>           the organisation
  --out <file>            the archive, which must not exist
  --recipient <age1…>     who can open it, a public key of age; can be repeated. Without it a passphrase is asked for, or
                          read from stdin
  --with-secrets          also connections and signing secrets

Writes builds with their flows and history, triggers, environments, members, workspaces, budgets, usage, the audit trail,
stored values and runs that are over. Prints what is left behind. What changes meanwhile is read again until it agrees; what
is written after it was read is missing.`;

const { checkOption, readOptions, refuse } = commandLine(usage);
const text = { type: 'string' } as const;
const { values, positionals } = readOptions({
  ...tenantOptions,
  org: text,
  out: text,
  recipient: { ...text, multiple: true, default: [] },
  'with-secrets': { type: 'boolean', default: false },
});
if (positionals.length > 0) refuse('Expected no command.');
if (!namesOneTenant(values)) refuse(oneTenant);
const org = checkOption('org', orgid, values.org ?? refuse('The option --org is missing.'));
const out = values.out ?? refuse('The option --out is missing.');
if (existsSync(out)) giveUp(`${out} exists.`);
const part = `${out}.part`;
rmSync(part, { force: true });
const encrypter = await prepareEncrypter().catch((error) => giveUp(error, 'Nothing was exported'));
let records = 0;
let shownAt = Date.now();
const left = new Map<string, number>();
await write().catch((error) => {
  rmSync(part, { force: true });
  if (error instanceof Disagreement) giveUp(error, 'Nothing was exported');
  giveUpOnAws(error, 'Nothing was exported');
});
renameSync(part, out);
for (const [kind, count] of left) console.error(`left behind: ${count} of kind ${kind}`);
console.error(`${records} items of ${org} are in ${out}.`);

async function prepareEncrypter() {
  if (values.recipient.length > 0) return createEncrypter({ recipients: values.recipient });
  return createEncrypter({ passphrase: await readSecret('The passphrase of the archive') });
}

async function write(): Promise<void> {
  const needed = ['TENANT_ID', 'CONTROL_TABLE', 'RUNS_TABLE', 'FLOW_KEY_ID'] as const;
  enterTenant(await readTenant(values, needed));
  await writeSealed(part, encrypter, lines());
}

async function* lines(): AsyncGenerator<string, void> {
  const header: Header = {
    format: 'agent-flow-organisation',
    version: archiveVersion,
    archive_id: randomUUID(),
    orgid: org,
    tenant: process.env.TENANT_ID ?? '',
    created_at: new Date().toISOString(),
    with_secrets: values['with-secrets'],
  };
  yield writeLine(header);
  const leave = (kind: string) => void left.set(kind, (left.get(kind) ?? 0) + 1);
  const settle = async () => await setTimeout(1_000);
  const options = { orgid: org, withSecrets: header.with_secrets, now: Date.now(), settle, leave };
  for await (const record of exportOrganisation(options)) {
    yield writeLine(record);
    records += 1;
    showProgress();
  }
  if (records === 0) throw new Error(`The tenant has no organisation ${org}.`);
  yield writeLine({ end: true, records });
}

function showProgress(): void {
  if (Date.now() - shownAt < 1_000) return;
  shownAt = Date.now();
  console.error(`${records} items …`);
}
