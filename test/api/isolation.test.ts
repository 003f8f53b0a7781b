// Isolation at the wire: a proxy between the functions and DynamoDB sees every key, index key and condition
// that a request names. Each belongs to the caller, or is a shared key in the table of exceptions, with its
// reason. Another organisation uses the same names. The role of the function must allow each on AWS, which no
// local engine checks.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Route } from '#lib/http/route.ts';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';
import { type OperationId, routeList, routes } from '#lib/routes/routes.ts';
import { type AwsProxy, startAwsProxy } from '#test/support/aws-proxy.ts';
import { card, createBody, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { listTouches, type Touch } from '#test/support/dynamo-touches.ts';
import { eventFor, lambdaContext, readEvent } from '#test/support/events.ts';
import {
  type Authorization,
  isAllowed,
  listAuthorizations,
  rolePolicies,
} from '#test/support/role-policies.ts';
import { newTrigger, setting, yearly } from '#test/support/triggers.ts';

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
}

async function newTenant(flowid: string, workspaceid: string): Promise<Tenant> {
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
  return { caller, flowid, live, build, run: run.body.workflow_id, keyid, trigger };
}

/** They use the same names for all that they name themselves; the first owns the short live URL. */
async function neighbours(): Promise<{ own: Tenant; other: Tenant }> {
  const [flowid, workspaceid] = [unique('flow'), unique('ws')];
  return { own: await newTenant(flowid, workspaceid), other: await newTenant(flowid, workspaceid) };
}

/**
 * Partitions that do not name the caller. Items that a request writes there name the caller in their sort
 * keys.
 */
const shared: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  { pattern: /^FLOW#[^#]+$/, reason: 'Says which workspace owns the short live URL of the tenant.' },
  { pattern: /^SEARCH#PUBLIC$/, reason: 'Holds the public agents, which everybody may find.' },
];
/** Sort keys without an owner; the partition names it. */
const neutral = /^(HISTORY|PAYLOAD|E|PUSH|ORG|WEBHOOK)#/;
const isClaim = (touch: Touch) => touch.sk === 'OWNER';

const listIds = ({ caller, live, build, run, keyid, trigger }: Tenant) => [
  caller.orgid,
  caller.id,
  live,
  build,
  run,
  keyid,
  trigger,
];
const names = (text: string, ids: readonly string[]) => ids.some((id) => text.includes(id));

/**
 * The keys of others that a request touched, as sentences. `made` is its answer, whose ids are of new
 * resources.
 */
function violations(own: Tenant, made: string): string[] {
  const isOwn = (text: string) =>
    names(text, listIds(own)) ||
    (text.match(/(?:reg|key|trg)_\w{26}|[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? []).some((id) => made.includes(id));
  return touches.flatMap((touch) => {
    const isShared = (text: string) =>
      shared.some(({ pattern }) => pattern.test(text)) &&
      (!touch.isWrite || isClaim(touch) || isOwn(touch.sk ?? ''));
    return touch.texts
      .filter(({ member, text }) => {
        if (/orgid$/.test(member)) return text !== own.caller.orgid;
        if (/workspaceid$/.test(member)) return text !== own.caller.workspaceid;
        return /^[A-Z]+#/.test(text) && !neutral.test(text) && !isOwn(text) && !isShared(text);
      })
      .map(({ member, text }) => `${touch.operation} names ${member} ${text}`);
  });
}

/** Ids of the tenant by the names of parameters and body members; others stay as in the route's event. */
const idsByName = ({ caller, flowid, live, build, run, keyid, trigger }: Tenant, route: Route) => ({
  keyid,
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
    'trigger/create': { kind: 'schedule', flowid: target.flowid, schedule: yearly },
    'trigger/update': { flowid: target.flowid, schedule: yearly },
    'environment/set': { pins: { [target.flowid]: target.build }, env: {} },
  };
  return {
    params: rename(pathParameters),
    query: rename(queryStringParameters),
    body: bodies[route.entry] ?? (body === null || route.form ? undefined : JSON.parse(body)),
  };
}

const entryPoint = z.union([
  z.object({ buffered: z.custom<CallableFunction>() }).transform(({ buffered }) => buffered),
  z.object({ handler: z.custom<CallableFunction>() }).transform(({ handler }) => handler),
]);
const answer = z.looseObject({ statusCode: z.number(), body: z.string() });

/** Sends the route's event with the ids of `target`. */
async function send(id: OperationId, { key }: TestCaller, target: Tenant) {
  const route: Route = routes[id];
  const file = new URL(`../../functions/${route.entry}.ts`, import.meta.url).href;
  const handler = entryPoint.parse(await import(file));
  const sent = eventFor(id, { key, ...buildRequest(route, target) });
  const event = route.form ? { ...sent, body: sent.body?.replace(/(?<=task_id=)[^&]+/, target.run) } : sent;
  touches.length = 0;
  authorizations.length = 0;
  return answer.parse(await Reflect.apply(handler, undefined, [event, lambdaContext()]));
}

const isOperation = (id: string): id is OperationId => id in routes;
const operations = routeList.map(([id]) => id).filter(isOperation);
const guarded = operations.filter((id) => routes[id].credentials.length > 0);

/** What their events name cannot be: the agent at the root is chosen by the tenant, and a browser has a cookie. */
const refusals: Readonly<Partial<Record<OperationId, number>>> = { getRootCard: 401, finishAgentConfig: 400 };

describe('a request reads and writes only items of its caller, and only with the permissions of its function', () => {
  const policies = rolePolicies();

  test.each(operations)('%s', async (id) => {
    const { own } = await neighbours();
    const { statusCode, body } = await send(id, own.caller, own);
    expect([200, 201, 202, 204, 404, 409, refusals[id]], body).toContain(statusCode);
    expect(violations(own, body)).toEqual([]);
    const statements = policies.get(routes[id].entry) ?? [];
    expect(authorizations.filter((wanted) => !isAllowed(statements, wanted))).toEqual([]);
  });
});

describe('a request for a resource of another organisation is refused and writes nothing of it', () => {
  let pair: Awaited<ReturnType<typeof neighbours>>;
  beforeAll(async () => {
    pair = await neighbours();
  });

  test.each(guarded)('%s', async (id) => {
    const { own, other } = pair;
    const foreign = { ...other, caller: { ...other.caller, workspaceid: own.caller.workspaceid } };
    const { body } = await send(id, own.caller, foreign);
    const written = touches.filter(({ isWrite }) => isWrite).flatMap(({ texts }) => texts);
    expect(written.filter(({ text }) => names(text, listIds(other)))).toEqual([]);
    for (const secret of listIds(other).slice(0, 2)) expect(body).not.toContain(secret);
  });
});

test('the proxy sees the calls of the functions', async () => {
  const { own } = await neighbours();
  await send('createRegistryRow', own.caller, own);
  expect(new Set(touches.map(({ operation }) => operation))).toEqual(
    // The first for the key.
    new Set(['GetItem', 'BatchWriteItem', 'TransactGetItems', 'TransactWriteItems']),
  );
  expect(violations({ ...own, caller: await newCaller() }, '').length).toBeGreaterThan(5);
});
