// `npm run members -- invite`: an operator invites a person into an organisation with their own AWS credentials
// (dynamodb:PutItem on the control table, cognito-idp:AdminCreateUser on the user pool, and with --tenant
// cloudformation:DescribeStacks). The person becomes a member when they sign in.
import { operatorId } from '#lib/access/principal.ts';
import { type MemberRoles, type Role, role, roles } from '#lib/access/role.ts';
import { giveUpOnAws } from '#lib/cli/give-up.ts';
import { enterLocalService } from '#lib/cli/local-service.ts';
import { commandLine } from '#lib/cli/script-options.ts';
import { orgid, workspaceid } from '#lib/ids.ts';
import { tenantStackName } from '#lib/infra/stack-names.ts';

const usage = `Usage: npm run members -- invite --tenant <id> --org <orgid> --email <address> --role <role> [options]

  --tenant <id>           the id of a deployed tenant, as in tenants/<id>.json, whose stack names the table and the user pool;
                          "local" for the service that \`npm start\` runs on this machine
  --control-table <name>  instead of --tenant: the output ControlTableName of the stack
  --org <orgid>           the organisation
  --email <address>       the address of the person, which the identity provider must have verified
  --role <role>           ${roles.join(', ')}
  --workspace <id>        a workspace of the member; can be repeated; "*" means all (default "*")
  --user-pool <id>        with --control-table: the output UserPoolId, of a pool in which the person gets an account
  --days <n>              days until the invitation expires, 1 to 30 (default 7)

No mail is sent. The person becomes a member by signing in at <gateway URL>/auth/login?orgid=<orgid> with that address.
Another invitation of the same address to the organisation replaces this one. The credentials and the region come from
the environment, as for the AWS CLI.`;

const { checkOption, readOptions, refuse } = commandLine(usage);
const { values, positionals } = readArguments();
if (positionals.length !== 1 || positionals[0] !== 'invite') refuse('Expected the command "invite".');
await invite().catch((error) => giveUpOnAws(error, 'Nobody was invited'));

async function invite(): Promise<void> {
  if ((values.tenant === undefined) === (values['control-table'] === undefined))
    refuse('Expected either --tenant or --control-table.');
  const days = Number(values.days);
  if (!Number.isInteger(days) || days < 1 || days > 30) refuse('--days must be an integer from 1 to 30.');
  const { email, putInvitation } = await import('#lib/session/invitation-items.ts');
  const now = Date.now();
  const invitation = {
    email: checkOption('email', email, required('email').trim()),
    orgid: checkOption('org', orgid, required('org')),
    roles: roleIn(values.workspace, checkedRole(required('role'))),
    created_at: new Date(now).toISOString(),
    created_by: operatorId,
    expires_at: new Date(now + days * 86_400_000).toISOString(),
  };
  const { controlTable, userPool } = await findStack();
  process.env.CONTROL_TABLE = controlTable;
  if (userPool !== undefined) {
    const { createAccount } = await import('#lib/session/user-pool.ts');
    await createAccount(userPool, invitation.email);
  }
  await putInvitation(invitation);
  console.error(
    `${invitation.email} is invited to ${invitation.orgid} as ${values.role}, until ${invitation.expires_at}.`,
  );
}

interface NamedResources {
  readonly controlTable: string;
  readonly userPool: string | undefined;
}

async function findStack(): Promise<NamedResources> {
  const { tenant, 'control-table': table = '', 'user-pool': pool } = values;
  if (tenant === undefined) return { controlTable: table, userPool: pool };
  if (tenant === 'local') return { controlTable: enterLocalService().CONTROL_TABLE, userPool: undefined };
  const { readStackOutputs } = await import('#lib/cli/stack-outputs.ts');
  const { ControlTableName, UserPoolId } = await readStackOutputs(tenant);
  if (ControlTableName === undefined)
    throw new Error(`The stack ${tenantStackName(tenant)} has no ControlTableName.`);
  return { controlTable: ControlTableName, userPool: UserPoolId };
}

function readArguments() {
  const text = { type: 'string' } as const;
  return readOptions({
    tenant: text,
    'control-table': text,
    'user-pool': text,
    org: text,
    email: text,
    role: text,
    workspace: { type: 'string', multiple: true, default: ['*'] },
    days: { ...text, default: '7' },
  });
}

function required(name: 'org' | 'email' | 'role'): string {
  return values[name] ?? refuse(`The option --${name} is missing.`);
}

function checkedRole(value: string): Role {
  return role.safeParse(value).data ?? refuse(`--role ${value}: must be one of ${roles.join(', ')}.`);
}

function roleIn(workspaces: readonly string[], role: Role): MemberRoles {
  if (workspaces.includes('*')) return { '*': role };
  return Object.fromEntries(workspaces.map((each) => [checkOption('workspace', workspaceid, each), role]));
}
