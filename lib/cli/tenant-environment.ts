// Which tenant an operator means, for scripts that work on its tables with the code of the service: that reads the names
// of tables and keys from the variables that functions have.
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { tenantStackName } from '#lib/infra/stack-names.ts';
import { readStackOutputs } from './stack-outputs.ts';

const text = { type: 'string' } as const;
/** The options of such a script. */
export const tenantOptions = {
  tenant: text,
  environment: text,
  'control-table': text,
  'runs-table': text,
} as const;

export const tenantUsage = `  --tenant <id>           the id of a deployed tenant, as in tenants/<id>.json, whose stack names the tables and keys
  --environment <file>    instead of --tenant: the variables of the functions, as \`npm start\` writes them to
                          .local/environment.json
  --control-table <name>  another control table than that of the tenant, such as a restored one
  --runs-table <name>     the same for the runs table`;

interface GivenTenant {
  readonly tenant?: string | undefined;
  readonly environment?: string | undefined;
  readonly 'control-table'?: string | undefined;
  readonly 'runs-table'?: string | undefined;
}

const variables = z.record(z.string(), z.string());

/** The outputs of the stack, as variables of functions. */
const outputs = {
  ControlTableName: 'CONTROL_TABLE',
  RunsTableName: 'RUNS_TABLE',
  FilesBucketName: 'FILES_BUCKET',
  FlowKeyId: 'FLOW_KEY_ID',
  SigningKeyArn: 'SIGNING_KEY_ID',
  GatewayUrl: 'GATEWAY_URL',
} as const;

export type TenantVariable = 'TENANT_ID' | (typeof outputs)[keyof typeof outputs];

/**
 * The variables of a tenant. With a tenant id, needs cloudformation:DescribeStacks; throws if the stack lacks one of
 * `needed`.
 */
export async function readTenant(
  given: GivenTenant,
  needed: readonly TenantVariable[],
): Promise<Readonly<Record<string, string>>> {
  const found =
    given.environment === undefined ? await readStack(given.tenant ?? '') : readFile(given.environment);
  const tenant: Record<string, string> = {
    ...found,
    ...(given['control-table'] !== undefined && { CONTROL_TABLE: given['control-table'] }),
    ...(given['runs-table'] !== undefined && { RUNS_TABLE: given['runs-table'] }),
  };
  const missing = needed.find((name) => !tenant[name]);
  if (missing === undefined) return tenant;
  throw new Error(
    given.environment === undefined
      ? `The stack ${tenantStackName(given.tenant ?? '')} has no ${outputOf(missing)}; deploy it first.`
      : `${given.environment} has no ${missing}.`,
  );
}

/** From then on, this process works on that tenant. */
export function enterTenant(tenant: Readonly<Record<string, string>>): void {
  Object.assign(process.env, tenant);
}

async function readStack(id: string): Promise<Record<string, string>> {
  const found = await readStackOutputs(id);
  const named = Object.entries(outputs).flatMap(([output, variable]) => {
    const value = found[output];
    return value === undefined ? [] : [[variable, value] as const];
  });
  return { TENANT_ID: id, ...Object.fromEntries(named) };
}

const readFile = (file: string): Record<string, string> =>
  variables.parse(JSON.parse(readFileSync(file, 'utf8')));

const outputOf = (variable: TenantVariable): string =>
  Object.entries(outputs).find(([, name]) => name === variable)?.[0] ?? variable;

/** For the check of the command line. */
export const namesOneTenant = ({ tenant, environment }: GivenTenant): boolean =>
  (tenant === undefined) !== (environment === undefined);
export const oneTenant = 'Expected either --tenant or --environment.';
