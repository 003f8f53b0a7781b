// `npm run keys -- issue`: an operator issues an API key with their own AWS credentials (kms:GetPublicKey and
// kms:Sign on the signing key); `npm run keys -- revoke` revokes it (dynamodb:UpdateItem on the control
// table). Keys that were created through the API are revoked through the API.
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { type Permission, permission, permissions } from '#lib/access/permission.ts';
import { giveUpOnAws } from '#lib/cli/give-up.ts';
import { enterLocalService } from '#lib/cli/local-service.ts';
import { commandLine } from '#lib/cli/script-options.ts';
import { keyId, orgid, workspaceid } from '#lib/ids.ts';

const usage = `Usage: npm run keys -- issue --tenant <id> --signing-key <KMS key ARN> --org <orgid> [options]
       npm run keys -- revoke --control-table <name> --id <key id>
With the service that \`npm start\` runs on this machine:
       npm run keys -- issue --tenant local --org <orgid> [options]
       npm run keys -- revoke --tenant local --id <key id>

  --tenant <id>           the id of the tenant, as in tenants/<id>.json; "local" for \`npm start\`
  --signing-key <arn>     the output SigningKeyArn of the stack
  --org <orgid>           the organisation of the key
  --workspace <id>        a workspace that the key may use; can be repeated; "*" means all (default "*")
  --scope <permission>    a permission of the key; can be repeated (default: all)
                          ${permissions.join(', ')}
  --days <n>              days until the key expires, 1 to 365 (default 90)

  --control-table <name>  the output ControlTableName of the stack
  --id <key id>           the id that was printed when the key was issued

issue prints the id and the expiry of the key to stderr and the key to stdout. The key is not stored and cannot be shown
again. A revoked key is refused within a minute. The credentials, and for revoke the region, come from the environment,
as for the AWS CLI.`;

const { checkOption, readOptions, refuse } = commandLine(usage);
const { values, positionals } = readArguments();
const [command] = positionals;
if (positionals.length > 1) refuse('Expected one command.');
if (command === 'issue') await issue().catch((error) => giveUpOnAws(error, 'No key was issued'));
else if (command === 'revoke') await revoke().catch((error) => giveUpOnAws(error, 'The key was not revoked'));
else refuse('Expected the command "issue" or "revoke".');

async function issue(): Promise<void> {
  process.env.TENANT_ID = knownTenant(required('tenant'));
  const isLocal = values.tenant === 'local' && values['signing-key'] === undefined;
  process.env.SIGNING_KEY_ID = isLocal ? enterLocalService().SIGNING_KEY_ID : required('signing-key');
  useKeyRegion(process.env.SIGNING_KEY_ID);
  const days = Number(values.days);
  if (!Number.isInteger(days) || days < 1 || days > 365) refuse('--days must be an integer from 1 to 365.');
  const { issueApiKey } = await import('#lib/access/api-key.ts');
  const id = `key_${randomUUID()}`;
  const issuedAt = Math.floor(Date.now() / 1_000);
  const lifetimeSeconds = days * 86_400;
  const key = await issueApiKey({
    id,
    orgid: checkOption('org', orgid, required('org')),
    workspaces: workspaces(values.workspace),
    scopes: scopes(values.scope),
    issuedAt,
    lifetimeSeconds,
  });
  console.error(`${id}, until ${new Date((issuedAt + lifetimeSeconds) * 1_000).toISOString()}`);
  console.log(key);
}

/** A key of a tenant that does not exist would be refused everywhere: the id is part of what is signed. */
function knownTenant(id: string): string {
  const files = readdirSync(new URL('../tenants', import.meta.url)).filter((name) => name.endsWith('.json'));
  const known = ['local', ...files.map((name) => name.slice(0, -'.json'.length))];
  if (known.includes(id)) return id;
  return refuse(`--tenant ${id}: there is no tenants/${id}.json. Expected one of ${known.join(', ')}.`);
}

/** A KMS key can only be used in the region of its ARN. A key id without an ARN has no region. */
function useKeyRegion(key: string): void {
  const [, , , region] = key.split(':');
  if (region) process.env.AWS_REGION = region;
}

/** The item expires after a year, which is the longest lifetime of a key. */
async function revoke(): Promise<void> {
  const isLocal = values.tenant === 'local' && values['control-table'] === undefined;
  process.env.CONTROL_TABLE = isLocal ? enterLocalService().CONTROL_TABLE : required('control-table');
  const id = checkOption('id', keyId, required('id'));
  const { markOfflineKeyRevoked } = await import('#lib/api-key/key-items.ts');
  const now = Date.now();
  await markOfflineKeyRevoked(
    id,
    new Date(now).toISOString(),
    new Date(now + 365 * 86_400_000).toISOString(),
  );
  console.error(`${id} is refused within a minute.`);
}

function readArguments() {
  const text = { type: 'string' } as const;
  const texts = { type: 'string', multiple: true } as const;
  return readOptions({
    tenant: text,
    'signing-key': text,
    org: text,
    workspace: { ...texts, default: ['*'] },
    scope: { ...texts, default: [...permissions] },
    days: { ...text, default: '90' },
    'control-table': text,
    id: text,
  });
}

function required(name: 'tenant' | 'signing-key' | 'org' | 'control-table' | 'id'): string {
  return values[name] ?? refuse(`The option --${name} is missing.`);
}

function workspaces(given: readonly string[]): readonly string[] | '*' {
  return given.includes('*') ? '*' : given.map((each) => checkOption('workspace', workspaceid, each));
}

function scopes(given: readonly string[]): readonly Permission[] {
  return given.map((each) => checkOption('scope', permission, each));
}
