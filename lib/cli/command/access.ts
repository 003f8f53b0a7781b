// `agent-flow connections`, `keys` and `members`: who and what may do something in an organisation.
import { Command, Option } from '@commander-js/extra-typings';
import { collect, count, jsonOption, profileOption, workspaceOption } from '../options.ts';
import { note, printJson, printLine, printTable } from '../print.ts';
import { programName } from '../program-name.ts';

/** What these commands begin with. Loaded when one runs. */
async function connect(options: { readonly profile?: string; readonly workspace?: string }) {
  const { findTarget, requireWorkspace } = await import('../api/target.ts');
  const { request } = await import('../api/request.ts');
  const target = await findTarget(options);
  return { target, request, workspaceid: () => requireWorkspace(target) };
}

export const connections = () =>
  new Command('connections')
    .description('Lists, stores and deletes the credentials that flows use.')
    .summary('credentials that flows use')
    .addCommand(listConnections())
    .addCommand(setConnection())
    .addCommand(deleteConnection());

const listConnections = () =>
  new Command('list')
    .description('Lists the connections of a workspace, without their credentials.')
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async ({ json, ...options }) => {
      const { target, request, workspaceid } = await connect(options);
      const query = { workspaceid: workspaceid(), limit: '200' };
      const { body } = await request(target, 'listConnections', 'Listing the connections', { query });
      if (json) return printJson(body);
      if (body.items.length === 0) return note('There are no connections.');
      const rows = body.items.map(({ name, type, scope, hosts, updated_at }) => [
        name,
        type,
        scope,
        hosts.join(' '),
        updated_at,
      ]);
      printTable(['NAME', 'TYPE', 'SCOPE', 'HOSTS', 'UPDATED'], rows);
    });

const setConnection = () =>
  new Command('set')
    .description('Stores a connection, or replaces it. Its credential is asked for, or read from stdin.')
    .argument('<name>', 'the name that flows declare')
    .option('--host <host>', 'a host that the credential may be sent to; can be repeated', collect)
    .option('--header <name>', 'send the credential in this header instead of as a bearer token')
    .option('--file <file>', 'all of the connection from a JSON or YAML file: type, hosts, credential')
    .addOption(
      new Option('--scope <scope>', 'whose it is')
        .choices(['organization', 'user'] as const)
        .default('organization' as const),
    )
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (name, { json, host = [], header, file, scope, ...options }) => {
      const { readConnection } = await import('../api/read-connection.ts');
      const { target, request, workspaceid } = await connect(options);
      const query = { workspaceid: workspaceid() };
      const body = await readConnection({ file, hosts: host, header, scope });
      const stored = await request(target, 'putConnection', 'Storing the connection', {
        params: { name },
        query,
        body,
      });
      if (json) return printJson(stored.body);
      printLine(`The connection "${name}" is stored for ${stored.body.hosts.join(', ')}.`);
    });

const deleteConnection = () =>
  new Command('delete')
    .description('Deletes a connection.')
    .argument('<name>', 'the name of the connection')
    .addOption(
      new Option('--scope <scope>', 'whose it is')
        .choices(['organization', 'user'] as const)
        .default('organization' as const),
    )
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (name, { json, scope, ...options }) => {
      const { target, request, workspaceid } = await connect(options);
      const query = { workspaceid: workspaceid(), scope };
      await request(target, 'deleteConnection', 'Deleting the connection', { params: { name }, query });
      if (json) printJson({ deleted: name });
      else printLine(`The connection "${name}" is deleted.`);
    });

export const keys = () =>
  new Command('keys')
    .description('Lists, creates and revokes API keys.')
    .summary('API keys')
    .addCommand(listKeys())
    .addCommand(createKey())
    .addCommand(revokeKey());

const listKeys = () =>
  new Command('list')
    .description('Lists the API keys of the organisation, newest first, without the keys themselves.')
    .option(...profileOption)
    .option(...jsonOption)
    .action(async ({ json, ...options }) => {
      const { target, request } = await connect(options);
      const { body } = await request(target, 'listApiKeys', 'Listing the keys', { query: { limit: '200' } });
      if (json) return printJson(body);
      if (body.items.length === 0) return note('There are no keys.');
      const rows = body.items.map(({ keyid, label, workspaces, expires_at, revoked_at, last_used_at }) => [
        ...[keyid, label, workspaces === '*' ? '*' : workspaces.join(' '), expires_at],
        ...[revoked_at === undefined ? '-' : `revoked ${revoked_at}`, last_used_at],
      ]);
      printTable(['ID', 'LABEL', 'WORKSPACES', 'EXPIRES', 'REVOKED', 'LAST USED'], rows);
    });

const createKey = () =>
  new Command('create')
    .description('Creates an API key. It is printed to stdout once, and cannot be shown again.')
    .argument('<label>', 'what the key is for')
    .requiredOption(
      '--scope <permission>',
      'a permission, such as assistants.flows:run; can be repeated',
      collect,
    )
    .option(
      '--for <workspace>',
      'a workspace that the key is for; can be repeated (default: that of the profile)',
      collect,
    )
    .option('--days <n>', 'days until it expires (default: 90)', count)
    .option(...profileOption)
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async (label, { json, scope, for: given, days, ...options }) => {
      const { target, request, workspaceid } = await connect(options);
      const workspaces = given?.includes('*') ? ('*' as const) : [...(given ?? [workspaceid()])];
      const { body } = await request(target, 'createApiKey', 'Creating the key', {
        // The service knows which permissions there are.
        body: {
          label,
          scopes: [...scope] as never,
          workspaces,
          ...(days !== undefined && { expires_in_days: days }),
        },
      });
      if (json) return printJson(body);
      note(`${body.keyid}, until ${body.expires_at}`);
      console.log(body.token);
    });

const revokeKey = () =>
  new Command('revoke')
    .description('Revokes an API key: it is refused everywhere within a minute.')
    .argument('<key>', 'the id of the key (key_…)')
    .option(...profileOption)
    .option(...jsonOption)
    .action(async (keyid, { json, ...options }) => {
      const { target, request } = await connect(options);
      await request(target, 'revokeApiKey', 'Revoking the key', { params: { keyid } });
      if (json) printJson({ revoked: keyid });
      else printLine(`${keyid} is refused within a minute.`);
    });

export const members = () =>
  new Command('members')
    .description('Lists, invites, changes and removes the members of the organisation.')
    .summary('members of the organisation')
    .addCommand(listMembers())
    .addCommand(inviteMember())
    .addCommand(changeMember())
    .addCommand(removeMember());

const listMembers = () =>
  new Command('list')
    .description('Lists the members, and the open invitations.')
    .option(...profileOption)
    .option(...jsonOption)
    .action(async ({ json, ...options }) => {
      const { target, request } = await connect(options);
      const query = { limit: '200' };
      const { body } = await request(target, 'listMembers', 'Listing the members', { query });
      const { body: open } = await request(target, 'listInvitations', 'Listing the invitations', { query });
      if (json) return printJson({ items: body.items, invitations: open.items });
      const rows = [
        ...body.items.map(({ email, roles, userid }) => [email, roles, 'member', userid]),
        ...open.items.map(({ email, roles, invitationid }) => [email, roles, 'invited', invitationid]),
      ];
      if (rows.length === 0)
        return note(`There are no members. \`${programName()} members invite\` invites one.`);
      printTable(['E-MAIL', 'ROLES', 'STATE', 'ID'], rows);
    });

const roles = ['owner', 'admin', 'builder', 'operator', 'viewer', 'caller'] as const;

const roleOption = () =>
  new Option('--role <role>', 'what the person may do').choices(roles).makeOptionMandatory();
const forOption = [
  '--for <workspace>',
  'a workspace of the member; can be repeated (default: all)',
  collect,
] as const;

/** By workspace; `*` stands for all. */
const rolesIn = (workspaces: readonly string[], role: (typeof roles)[number]) =>
  Object.fromEntries(workspaces.map((each) => [each, role])) as never;

const inviteMember = () =>
  new Command('invite')
    .description(
      'Invites a person, who becomes a member by signing in at the address that is printed. No mail is sent.',
    )
    .argument('<email>', 'the address of the person')
    .addOption(roleOption())
    .option(...forOption)
    .option(...profileOption)
    .option(...jsonOption)
    .action(async (email, { json, role, for: given = ['*'], ...options }) => {
      const { target, request } = await connect(options);
      const { body } = await request(target, 'inviteMember', 'Inviting the person', {
        body: { email, roles: rolesIn(given, role) },
      });
      if (json) return printJson(body);
      note(`${body.email} is invited until ${body.expires_at}, and becomes a member by signing in here:`);
      printLine(body.sign_in_url);
    });

const changeMember = () =>
  new Command('change')
    .description('Gives a member another role, in place of all that the member has, within a minute.')
    .argument('<id>', 'the id of the member (user_…), as `members list` shows it')
    .addOption(roleOption())
    .option(...forOption)
    .option(...profileOption)
    .option(...jsonOption)
    .action(async (userid, { json, role, for: given = ['*'], ...options }) => {
      const { target, request } = await connect(options);
      const { body } = await request(target, 'changeMember', 'Changing the member', {
        params: { userid },
        body: { roles: rolesIn(given, role) },
      });
      if (json) printJson(body);
      else printLine(`${userid} is ${role} in ${given.includes('*') ? 'all workspaces' : given.join(', ')}.`);
    });

const removeMember = () =>
  new Command('remove')
    .description('Removes a member, whose sessions and keys end within a minute, or withdraws an invitation.')
    .argument('<id>', 'the id of the member (user_…) or of the invitation, as `members list` shows it')
    .option(...profileOption)
    .option(...jsonOption)
    .action(async (id, { json, ...options }) => {
      const { target, request } = await connect(options);
      if (id.startsWith('user_'))
        await request(target, 'removeMember', 'Removing the member', { params: { userid: id } });
      else
        await request(target, 'withdrawInvitation', 'Withdrawing the invitation', {
          params: { invitationid: id },
        });
      if (json) printJson({ removed: id });
      else printLine(`${id} is removed.`);
    });
