// Isolation at the wire: a proxy between the functions and DynamoDB sees every key, index key and condition
// that a request names. Each belongs to the caller, or is a shared key in the table of exceptions, with its
// reason. Another organisation uses the same names. The role of the function must allow each on AWS, which no
// local engine checks.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { hashSession } from '#lib/access/session-items.ts';
import type { Route } from '#lib/http/route.ts';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';
import { type OperationId, routeList, routes } from '#lib/routes/routes.ts';
import { deriveInvitationId } from '#lib/session/invitation-items.ts';
import { type AwsProxy, startAwsProxy } from '#test/support/aws-proxy.ts';
import { card, createBody, newRow, ownWord, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { listTouches, type Touch } from '#test/support/dynamo-touches.ts';
import { eventFor, lambdaContext, type ProxyEvent, readEvent } from '#test/support/events.ts';
import { endpointRequests } from '#test/support/oauth-endpoints.ts';
import { invite, newPerson, type Person } from '#test/support/person.ts';
import {
  type Authorization,
  isAllowed,
  listAuthorizations,
  rolePolicies,
} from '#test/support/role-policies.ts';
import { signInAnswer } from '#test/support/session-cases.ts';
import { newTrigger, setting, yearly } from '#test/support/triggers.ts';
import { byGithub, declareWebhook, secretOfTests } from '#test/support/webhook-senders.ts';

const touches: Touch[] = [];
const authorizations: Authorization[] = [];
let proxy: AwsProxy;

beforeAll(async () => {
  installAwsLambda();
  const upstream = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (!upstream) throw new Error('This test needs the local host: run it without BASE_URL.');
  proxy = await startAwsProxy(upstream, (operation, body) => {
    touches.push(...listTouches(operation, body));
    authorizations.push(...listAuthorizations(operation, body));
    return 'pass';
  });
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
  // The one of other tests is not the caller's.
  process.env.ROOT_AGENT = 'no-such-agent';
});
afterAll(async () => await proxy.close());

/** An organisation with a live build and a run of it, and a second build. */
interface Tenant {
  readonly caller: TestCaller;
  readonly flowid: string;
  readonly live: string;
  readonly build: string;
  readonly run: string;
  /** An API key that the caller made. */
  readonly keyid: string;
  /** A declared trigger with a schedule. */
  readonly trigger: string;
  /** A member of the organisation with a session, for the routes of people. */
  readonly person: Person | undefined;
  /** An open invitation of somebody else. */
  readonly invitationid: string | undefined;
}

async function newTenant(flowid: string, workspaceid: string, hasPerson: boolean): Promise<Tenant> {
  const caller = { ...(await newCaller()), workspaceid };
  const { a2aregistryid: live } = await promoted(caller, await newRow(caller, { flowid }));
  const { a2aregistryid: build } = await newRow(caller, { flowid });
  const params = { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' };
  const run = await call('triggerFlow', { key: caller.key, params, body: { message: 'hello' } });
  const body = { label: 'One', scopes: ['audit:read'], workspaces: '*' };
  const { keyid } = (await call('createApiKey', { key: caller.key, body })).body;
  const some = { kind: 'schedule', schedule: yearly };
  const { trigger_id: trigger } = await newTrigger({ ...caller, flowid }, some);
  await setting({ ...caller, flowid }, 'uat', {});
  const person = hasPerson ? await newPerson({ orgid: caller.orgid }) : undefined;
  const invited = hasPerson ? await invite({ orgid: caller.orgid, role: 'viewer' }) : undefined;
  const invitationid = invited && deriveInvitationId(invited.email);
  return { caller, flowid, live, build, run: run.body.workflow_id, keyid, trigger, person, invitationid };
}

/** They use the same names for all that they name themselves; the first owns the short live URL. */
async function neighbours(hasPerson: boolean): Promise<{ own: Tenant; other: Tenant }> {
  const [flowid, workspaceid] = [unique('flow'), unique('ws')];
  const newOne = async () => await newTenant(flowid, workspaceid, hasPerson);
  return { own: await newOne(), other: await newOne() };
}

/**
 * Partitions that do not name the caller. Items that a request writes there name the caller in their sort
 * keys.
 */
const shared: readonly { readonly pattern: RegExp; readonly of?: OperationId; readonly reason: string }[] = [
  { pattern: /^FLOW#[^#]+$/, reason: 'Says which workspace owns the short live URL of the tenant.' },
  { pattern: /^SEARCH#PUBLIC(#[^#]+)?$/, reason: 'Holds the public agents, which everybody may find.' },
  { pattern: /^DUE#\d\d$/, reason: 'Has the schedules of all organisations that are due, for the clocks.' },
  { pattern: /^AGENT#reg_\w+$/, of: 'getAiCatalog', reason: 'Lists the public agents for everybody.' },
];
/** Sort keys without an owner, and the beginning of those of all members; the partition names it. */
const neutral = /^(HISTORY|PAYLOAD|E|PUSH|ORG|WEBHOOK|NAME|SENT|WAIT|VALUE|VALUES)#|^MEMBER#$|^WS#[^#]*$/;
const isClaim = (touch: Touch) => touch.sk === 'OWNER';

const listIds = ({ caller, live, build, run, keyid, trigger, person, invitationid }: Tenant) => [
  caller.orgid,
  caller.id,
  live,
  build,
  run,
  keyid,
  trigger,
  ...(person ? [person.id, person.email, person.sessionid, deriveInvitationId(person.email)] : []),
  ...(invitationid === undefined ? [] : [invitationid]),
];
/** Whether an item is deleted only if it is of the sender: the values of a delete are those of its condition. */
const isOnOwner = ({ operation, texts }: Touch, { person }: Tenant) =>
  operation === 'DeleteItem' && texts.some(({ member, text }) => member === ':userid' && text === person?.id);

const names = (text: string, ids: readonly string[]) => ids.some((id) => text.includes(id));

/**
 * The keys of others that a request touched, as sentences. `made` is its answer, whose ids are of new
 * resources.
 */
function violations(id: OperationId, own: Tenant, made: string): string[] {
  const isOwn = (text: string) =>
    names(text, listIds(own)) ||
    (
      text.match(
        /(?:reg|key|trg)_\w{26}|(?:ses|inv)_[\w-]{43}|ws_\w{26}|[0-9a-f]{8}-[0-9a-f-]{27}|(?<=^(?:OAUTH#\w+|GRANT)#)[\w-]{43}$/g,
      ) ?? []
    ).some((id) => made.includes(id));
  return touches.flatMap((touch) => {
    const positionIn = (partition: string) =>
      touch.texts.find(({ member }) => member === partition.replace(/pk$/, 'sk'))?.text ?? '';
    const isShared = (text: string, member: string) =>
      shared.some(({ pattern, of = id }) => of === id && pattern.test(text)) &&
      (!touch.isWrite || isClaim(touch) || isOwn(positionIn(member)));
    return touch.texts
      .filter(({ member, text }) => {
        if (/orgid$/.test(member)) return text !== own.caller.orgid;
        if (/workspaceid$/.test(member)) return text !== own.caller.workspaceid;
        const isNeutral = !member.endsWith('pk') && neutral.test(text);
        return /^[A-Z]+#/.test(text) && !isNeutral && !isOwn(text) && !isShared(text, member);
      })
      .map(({ member, text }) => `${touch.operation} names ${member} ${text}`);
  });
}

/** Ids of the tenant by the names of parameters and body members; others stay as in the route's event. */
const idsByName = (
  { caller, flowid, live, build, run, keyid, trigger, person, invitationid }: Tenant,
  route: Route,
) => ({
  keyid,
  ...(person && { sessionid: person.sessionid, userid: person.id }),
  ...(invitationid !== undefined && { invitationid }),
  workspace_id: caller.workspaceid,
  workspaceid: caller.workspaceid,
  workflow_id: run,
  id: run,
  environment: route.path.includes('/environments/') ? 'uat' : 'live',
  a2aregistryid: route.method === 'GET' || route.path.endsWith('rollback') ? live : build,
  registryId: route.path.includes('/agents/') ? live : build,
  ...Object.fromEntries(['flowid', 'flowId', 'flow_id', 'trigger_id'].map((name) => [name, flowid])),
  ...(route.path.startsWith('/api/v1/triggers') && {
    trigger_id: trigger,
  }),
});

const sample = z.object({
  pathParameters: z.record(z.string(), z.string()).nullable(),
  queryStringParameters: z.record(z.string(), z.string()).nullable(),
  body: z.string().nullable(),
});

function buildRequest(route: Route, target: Tenant) {
  const { pathParameters, queryStringParameters, body } = sample.parse(readEvent(route.entry));
  const given = Object.entries(idsByName(target, route));
  const rename = (values: Record<string, string> | null) =>
    Object.fromEntries([
      ...Object.entries(values ?? {}),
      ...given.filter(([name]) => Object.hasOwn(values ?? {}, name)),
    ]);
  const bodies: Partial<Record<string, object>> = {
    'registry/create': createBody({ flowid: target.flowid, visibility: 'public' }),
    'registry/update': { agent_card: card() },
    'workspace/create': { workspaceid: target.caller.workspaceid, name: 'One' },
    'trigger/create': { kind: 'schedule', flowid: target.flowid, schedule: yearly },
    'trigger/update': { flowid: target.flowid, schedule: yearly },
    'environment/set': { pins: { [target.flowid]: target.build }, env: {} },
  };
  return {
    params: rename(pathParameters),
    // Public agents of other tests are for everybody to find, and their items for a search to read.
    query: {
      ...rename(queryStringParameters),
      ...(route.entry === 'discovery/search' && { q: ownWord(target) }),
    },
    body: bodies[route.entry] ?? (body === null || route.form ? undefined : JSON.parse(body)),
  };
}

const entryPoint = z.union([
  z.object({ buffered: z.custom<CallableFunction>() }).transform(({ buffered }) => buffered),
  z.object({ handler: z.custom<CallableFunction>() }).transform(({ handler }) => handler),
]);
const answer = z.looseObject({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  multiValueHeaders: z.record(z.string(), z.array(z.string())).optional(),
});

/** What a request brings in place of a key. */
async function browserRequest(id: OperationId, { person }: Tenant) {
  if (!person) return {};
  if (id === 'finishSignIn') return await signInAnswer(person.email);
  return { headers: { ...person.page, 'X-API-Key': '' } };
}

/** Its body, the address in `Location`, and the ids of the sessions whose cookies it sets. */
const made = ({ body, headers, multiValueHeaders }: Awaited<ReturnType<typeof send>>): string =>
  [
    body,
    headers.location ?? '',
    ...(multiValueHeaders?.['set-cookie'] ?? []).map((cookie) =>
      hashSession(/^[\w-]+=([\w-]*)/.exec(cookie)?.[1] ?? ''),
    ),
  ].join(' ');

/** Sends the route's event with the ids of `target`, or with another body. */
/** Where the sample has nodes of another flow. */
const bodies: Readonly<Partial<Record<OperationId, object>>> = { forkRun: { from: 'done' } };

async function send(id: OperationId, own: Tenant, target: Tenant, body = bodies[id]) {
  const route: Route = routes[id];
  const sent = eventFor(id, {
    key: own.caller.key,
    ...buildRequest(route, target),
    ...(await browserRequest(id, own)),
    ...(body && { body }),
  });
  const form = sent.body?.replace(/(?<=task_id=)[^&]+/, target.run) ?? null;
  return await invoke(id, route.form ? { ...sent, body: form } : sent);
}

async function invoke(id: OperationId, event: ProxyEvent) {
  const file = new URL(`../../functions/${routes[id].entry}.ts`, import.meta.url).href;
  const handler = entryPoint.parse(await import(file));
  touches.length = 0;
  authorizations.length = 0;
  return answer.parse(await Reflect.apply(handler, undefined, [event, lambdaContext()]));
}

const isOperation = (id: string): id is OperationId => id in routes;
const operations = routeList.map(([id]) => id).filter(isOperation);
/** Those of people: a key has no session, and allows no client anything. */
const isOfPeople = (id: OperationId) => /^(session|member|oauth)\//.test(routes[id].entry);
const guarded = operations.filter((id) => routes[id].credentials.length > 0);

/** What their events name cannot be: the agent at the root is chosen by the tenant, and a browser has a cookie. */
const refusals: Readonly<Partial<Record<OperationId, number>>> = { getRootCard: 401, finishAgentConfig: 400 };

describe('a request reads and writes only items of its caller, and only with the permissions of its function', () => {
  const policies = rolePolicies();

  // The endpoints of the authorization server, and events that are signed, are below.
  test.each(operations.filter((id) => id !== 'issueToken' && id !== 'receiveWebhook'))('%s', async (id) => {
    const { own } = await neighbours(isOfPeople(id));
    const answered = await send(id, own, own);
    expect([200, 201, 202, 204, 303, 404, 409, refusals[id]], answered.body).toContain(answered.statusCode);
    expect(violations(id, own, made(answered))).toEqual([]);
    const statements = policies.get(routes[id].entry) ?? [];
    expect(authorizations.filter((wanted) => !isAllowed(statements, wanted))).toEqual([]);
  });

  test.each([
    ['', {}, [202]],
    // The run may be over before the first look.
    [', and that is answered with the result', { respond: 'result' }, [200]],
  ])('receiveWebhook, with an event that its source has signed%s', async (_and, some, statuses) => {
    const { caller, flowid, live, ...own } = (await neighbours(false)).own;
    const agent = { ...caller, flowid, a2aregistryid: live };
    const { webhookId } = await declareWebhook(agent, { type: 'github' }, some);
    const body = { ref: 'refs/heads/main' };
    const { headers } = byGithub(secretOfTests, body);
    const event = eventFor('receiveWebhook', { key: '', params: { webhookId }, body, headers });
    const answered = await invoke('receiveWebhook', event);
    expect(statuses, answered.body).toContain(answered.statusCode);
    const owner = { ...own, caller, flowid, live, trigger: webhookId };
    expect(violations('receiveWebhook', owner, made(answered))).toEqual([]);
    const statements = policies.get('trigger/receive-webhook') ?? [];
    expect(authorizations.length).toBeGreaterThan(2);
    expect(authorizations.filter((wanted) => !isAllowed(statements, wanted))).toEqual([]);
  });
});

describe('a request for a resource of another organisation is refused and writes nothing of it', () => {
  let pair: Awaited<ReturnType<typeof neighbours>>;
  beforeAll(async () => {
    pair = await neighbours(true);
  });

  test.each(guarded)('%s', async (id) => {
    const { own, other } = pair;
    const foreign = { ...other, caller: { ...other.caller, workspaceid: own.caller.workspaceid } };
    const sender = isOfPeople(id) ? own : { ...own, person: undefined };
    const { body } = await send(id, sender, foreign);
    const written = touches
      .filter((touch) => touch.isWrite && !isOnOwner(touch, own))
      .flatMap(({ texts }) => texts);
    expect(written.filter(({ text }) => names(text, listIds(other)))).toEqual([]);
    for (const secret of listIds(other).slice(0, 2)) expect(body).not.toContain(secret);
  });
});

describe('each endpoint of the authorization server', () => {
  const statements = rolePolicies().get(routes.issueToken.entry) ?? [];

  test.each(Object.entries(endpointRequests))(
    '%s: only items of the caller, and only with the permissions of the function',
    async (_, prepare) => {
      const { own } = await neighbours(true);
      if (!own.person) throw new Error('Only people allow something.');
      const { options, status, listIds } = await prepare(own.person);
      const answered = await invoke('issueToken', eventFor('issueToken', { key: '', ...options }));
      expect(answered.statusCode, answered.body).toBe(status);
      expect(violations('issueToken', own, (await listIds(answered)).join(' '))).toEqual([]);
      expect(authorizations.length).toBeGreaterThan(0);
      expect(authorizations.filter((wanted) => !isAllowed(statements, wanted))).toEqual([]);
    },
  );
});

describe('each tool of the connector', () => {
  const policies = rolePolicies();
  const statements = policies.get('connector/serve') ?? [];
  const tools = (target: Tenant): readonly (readonly [string, object])[] => [
    ['discover_agents', { query: ownWord(target) }],
    ['list_agents', { visibility: 'organization' }],
    ['list_agents', { status: 'test' }],
    ['call_agent', { registry_id: target.live, message: 'hello', wait_seconds: 0 }],
    ['call_agent', { registry_id: target.live, message: 'hello', task_id: target.run }],
  ];
  const callTool = async (own: Tenant, target: Tenant, [name, args]: readonly [string, object]) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    return await send('callConnector', own, target, body);
  };

  test('reads and writes only items of its caller, and only with the permissions of its function', async () => {
    const { own } = await neighbours(false);
    for (const tool of tools(own)) {
      const { statusCode, body } = await callTool(own, own, tool);
      expect(statusCode, body).toBe(200);
      expect(violations('callConnector', own, body), tool[0]).toEqual([]);
      expect(authorizations.filter((wanted) => !isAllowed(statements, wanted))).toEqual([]);
    }
  });

  test('shows nothing of another organisation, and writes nothing of it', async () => {
    const { own, other } = await neighbours(false);
    for (const tool of tools(other)) {
      const { body } = await callTool(own, other, tool);
      const written = touches.filter(({ isWrite }) => isWrite).flatMap(({ texts }) => texts);
      expect(written.filter(({ text }) => names(text, listIds(other)))).toEqual([]);
      for (const secret of listIds(other)) expect(body).not.toContain(secret);
    }
  });
});

test('the proxy sees the calls of the functions', async () => {
  const { own } = await neighbours(false);
  await send('createRegistryRow', own, own);
  expect(new Set(touches.map(({ operation }) => operation))).toEqual(
    // The first for the key.
    new Set(['GetItem', 'BatchWriteItem', 'TransactGetItems', 'TransactWriteItems']),
  );
  expect(violations('createRegistryRow', { ...own, caller: await newCaller() }, '').length).toBeGreaterThan(
    5,
  );
});
