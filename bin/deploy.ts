// `npm run deploy -- <tenant>`: builds, shows what would change, deploys, issues the first key or invites the first owner,
// checks the service through its gateway URL, and prints that URL.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Command } from '@commander-js/extra-typings';
import { confirm } from '#lib/cli/confirm.ts';
import { giveUp } from '#lib/cli/give-up.ts';
import { findMissingStacks } from '#lib/cli/missing-stacks.ts';
import { readTenants } from '#lib/cli/read-tenants.ts';
import { smokeTest } from '#lib/cli/smoke-test.ts';
import { readOperatorCredentials, readStackOutputs } from '#lib/cli/stack-outputs.ts';
import { acceptedAddress } from '#lib/infra/address-guard.ts';
import { refuseAddresses } from '#lib/infra/addresses.ts';
import { firstDeployment } from '#lib/infra/first-deployment.ts';
import { storageStackName, tenantStackName } from '#lib/infra/stack-names.ts';
import { refuseStorage } from '#lib/infra/storage-guard.ts';
import type { Tenant } from '#lib/infra/tenant.ts';

const program = new Command('npm run deploy --')
  .description('Deploys a tenant with your AWS credentials, and checks it.')
  .argument('<tenant>', 'the id of the tenant, as in tenants/<id>.json')
  .option('--yes', 'deploy without asking; required where nobody can answer, as in a pipeline')
  .option('--diff', 'only show what would change')
  .option('--org <orgid>', 'issue an API key with all permissions for this organisation')
  .option('--abandon-address', 'deploy although the service is no longer reached at its former address')
  .option('--owner <email>', 'invite this person as owner of the organisation of --org')
  .parse();
const [tenantId = ''] = program.args;
const { yes = false, diff = false, abandonAddress: abandons = false, org, owner } = program.opts();
const stack = tenantStackName(tenantId);
const storage = storageStackName(tenantId);
const dnsHint =
  'A domain of your own answers once its DNS record exists. Nothing of the deployment is undone; run the command again to check again.';
const credentialsHint = `The region is that of tenants/${tenantId}.json, or of the environment (AWS_REGION), from which the credentials come too, as for the AWS CLI.`;
const root = fileURLToPath(new URL('..', import.meta.url));

const tenant = checkArguments();
await deploy().catch((error) => giveUp(error, `${stack} was not deployed`));

function checkArguments(): Tenant {
  const tenants = readTenants();
  const known = tenants.map(({ id }) => id).join(', ');
  const tenant =
    tenants.find(({ id }) => id === tenantId) ??
    program.error(`There is no tenants/${tenantId}.json. Expected one of ${known}.`);
  if (owner !== undefined && org === undefined)
    program.error('--owner needs --org, the organisation to own.');
  if (!yes && !diff && !process.stdin.isTTY)
    program.error('Nobody can be asked here: pass --yes, or --diff.');
  if (tenant.region !== undefined) process.env.AWS_REGION = tenant.region;
  return tenant;
}

/** A first deployment creates a stack without protection, so that it can be repeated; the second one protects it. */
async function deploy(): Promise<void> {
  // The CDK would need its time for the synthesis before it says that it finds no credentials.
  if (diff) await readOperatorCredentials().catch(giveUpBefore);
  const { missing, refusal } = diff ? { missing: [] } : await findMissingStacks(tenant).catch(giveUpBefore);
  if (refusal !== undefined) refuse(refusal);
  if (missing.includes(stack)) await announceCreation(missing);
  else if (!diff) await requireSameAddressAndStorage();
  const first = missing.length > 0 ? ['--context', `${firstDeployment}=${missing.join()}`] : [];
  await cdk(['synth', '--quiet', ...first]);
  await cdk(['diff', '--app', 'cdk.out', '--parameters', acceptedAddress(tenant), stack]);
  if (diff) return;
  if (!yes && !(await confirm(`Deploy ${stack}?`))) return console.error('Nothing was deployed.');
  await deploySynthesized();
  if (missing.length > 0)
    await protect().catch((error) => giveUp(error, `${stack} is deployed, but not protected`));
  await finish().catch((error) => giveUp(error, `${stack} is deployed, but not checked`, credentialsHint));
}

/** In a wrong region the tenant would be created a second time. */
async function announceCreation(missing: readonly string[]): Promise<void> {
  const { region } = await readOperatorCredentials().catch(giveUpBefore);
  console.error(`${stack} does not exist in ${region} yet: it is created there.`);
  if (tenant.storageStack && !missing.includes(storage))
    console.error(`${storage} exists: its tables and keys are used.`);
}

/** Cards, webhooks and clients have the address of the stack as it is, and its tables have their data. */
async function requireSameAddressAndStorage(): Promise<void> {
  const deployed = await readStackOutputs(tenantId).catch(giveUpBefore);
  const refusal = refuseStorage(tenant, deployed) ?? refuseAddresses(tenant, deployed, { abandons });
  if (refusal !== undefined) refuse(refusal);
}

function refuse(refusal: string): never {
  return giveUp(`${stack} was not deployed. ${refusal}`);
}

function giveUpBefore(error: unknown): never {
  const what = diff ? `${stack} was not compared` : `${stack} was not deployed`;
  return giveUp(error, what, credentialsHint);
}

function deploySynthesized(): Promise<string> {
  const options = ['--require-approval', 'never', '--progress', 'events'];
  return cdk(['deploy', '--app', 'cdk.out', ...options, '--parameters', acceptedAddress(tenant), stack]);
}

async function protect(): Promise<void> {
  console.error(`${stack} is deployed. Adding the protection of stacks and tables …`);
  await cdk(['synth', '--quiet']);
  await deploySynthesized();
}

async function finish(): Promise<void> {
  const { GatewayUrl: gatewayUrl = '', SigningKeyArn: signingKey = '' } = await readStackOutputs(tenantId);
  const apiKey =
    org &&
    (await node('keys.ts', ['issue', '--tenant', tenantId, '--signing-key', signingKey, '--org', org]));
  if (org !== undefined && owner !== undefined)
    await node('members.ts', [
      'invite',
      '--tenant',
      tenantId,
      '--org',
      org,
      '--email',
      owner,
      '--role',
      'owner',
    ]);
  if (apiKey) console.error(`The API key of ${org}, which is shown only once:\n${apiKey}`);
  const passed = await smokeTest({ gatewayUrl, apiKey }).catch((error) =>
    giveUp(error, `${stack} is deployed, but does not answer as expected`, dnsHint),
  );
  for (const line of passed) console.error(`✓ ${line}`);
  console.log(gatewayUrl);
}

function cdk(args: readonly string[]): Promise<string> {
  return start('cdk', args);
}

function node(script: string, args: readonly string[]): Promise<string> {
  const file = fileURLToPath(new URL(script, import.meta.url));
  return start(process.execPath, [file, ...args], 'pipe');
}

/** Resolves to what the program prints on standard output, if that is a pipe. */
async function start(
  file: string,
  args: readonly string[],
  stdout: 'pipe' | 'inherit' = 'inherit',
): Promise<string> {
  const child = spawn(file, args, { cwd: root, stdio: ['inherit', stdout, 'inherit'] });
  const ended = new Promise<number | null>((resolve, reject) =>
    child.once('close', resolve).once('error', reject),
  );
  const printed = child.stdout ? await text(child.stdout) : '';
  const code = await ended;
  if (code !== 0) throw new Error(`${file} ${args[0]} ended with code ${code}.`);
  return printed.trim();
}
