// `npm run test:deployed -- --tenant <id>`: runs the tests of the API with a deployed service. It issues keys of
// organisations of its own with the credentials of the operator (kms:GetPublicKey and kms:Sign on the signing key,
// cloudformation:DescribeStacks), and reaches nothing else but the address of the service.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { giveUpOnAws } from '#lib/cli/give-up.ts';
import { readTenants } from '#lib/cli/read-tenants.ts';
import { commandLine } from '#lib/cli/script-options.ts';
import { namesOneTenant, oneTenant, readTenant } from '#lib/cli/tenant-environment.ts';
import { apiTests, whyLocal } from '#test/support/local-only.ts';

const usage = `Usage: npm run test:deployed -- --tenant <id> [part of a file's name ...]

  --tenant <id>         the id of a deployed tenant, as in tenants/<id>.json, whose stack names its address and key
  --environment <file>  instead of --tenant: the variables of the functions, as \`npm start\` writes them to
                        .local/environment.json
  --list                only print which tests need the service of this machine, and why

The tests make organisations, builds and runs of their own, and leave them there: take a tenant that is for tests.`;

const { readOptions, refuse } = commandLine(usage);
const { values, positionals } = readOptions({
  tenant: { type: 'string' },
  environment: { type: 'string' },
  list: { type: 'boolean' },
});
if (values.list) list();
else await test();

function list(): void {
  const files = globSync(apiTests).sort();
  const local = files.map((file) => [file, whyLocal(file)] as const).filter(([, why]) => why !== undefined);
  for (const [file, why] of local) console.log(`${file}: ${why}`);
  console.log(`${local.length} of ${files.length} files need the service of this machine.`);
}

async function test(): Promise<void> {
  if (!namesOneTenant(values)) refuse(oneTenant);
  const needed = ['TENANT_ID', 'SIGNING_KEY_ID', 'GATEWAY_URL'] as const;
  const tenant = await readTenant(values, needed).catch((error) => giveUpOnAws(error, 'Nothing was tested'));
  // A KMS key is used in the region of its ARN.
  const region = tenant.SIGNING_KEY_ID?.split(':')[3];
  const env = {
    ...process.env,
    ...settingsOf(values.tenant),
    ...tenant,
    ...(region && { AWS_REGION: region }),
    BASE_URL: tenant.GATEWAY_URL,
  };
  const vitest = spawn('vitest', ['run', '--project', 'api', ...positionals], { env, stdio: 'inherit' });
  const [code] = await once(vitest, 'exit');
  process.exitCode = typeof code === 'number' ? code : 1;
}

/** Variables of the functions that are in no output of the stack, and that tests compare answers with. */
function settingsOf(id: string | undefined): Readonly<Record<string, string>> {
  const described = readTenants().find((tenant) => tenant.id === id);
  return described ? { RUN_RETENTION_DAYS: String(described.runRetentionDays) } : {};
}
