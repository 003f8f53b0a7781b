// What a warm request costs in AWS calls, counted by proxies in front of the engines and compared with docs/aws-calls.md. The handlers run in
// this process, as they run in Lambda, with the events of `events/`.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import type { OperationId } from '#lib/api/routes.ts';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';
import type { RegistryRow } from '#lib/registry/row.ts';
import { type AwsProxy, startAwsProxy } from '#test/support/aws-proxy.ts';
import { card, createBody, flow, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { eventFor, lambdaContext } from '#test/support/events.ts';

const services = ['DYNAMODB', 'KMS', 'SQS'] as const;
const proxies: AwsProxy[] = [];

beforeAll(async () => {
  installAwsLambda();
  for (const service of services) {
    const upstream = process.env[`AWS_ENDPOINT_URL_${service}`];
    if (!upstream) throw new Error('This test needs the local host: run it without BASE_URL.');
    const proxy = await startAwsProxy(upstream);
    process.env[`AWS_ENDPOINT_URL_${service}`] = proxy.url;
    proxies.push(proxy);
  }
  // The queue's address is a full URL, which the SDK prefers to the endpoint.
  process.env.RUN_QUEUE_URL = process.env.RUN_QUEUE_URL?.replace(/^http:\/\/[^/]+/, proxies[2]?.url ?? '');
});
afterAll(async () => void (await Promise.all(proxies.map((proxy) => proxy.close()))));

/** Imported when they are needed: those that stream look for `awslambda` while they load. */
const handlers = {
  createRegistryRow: async () => (await import('#functions/registry/create.ts')).handler,
  getRegistryRow: async () => (await import('#functions/registry/get.ts')).handler,
  listRegistryRows: async () => (await import('#functions/registry/list.ts')).handler,
  searchRegistry: async () => (await import('#functions/registry/search.ts')).handler,
  updateRegistryRow: async () => (await import('#functions/registry/update.ts')).handler,
  promoteRegistryRow: async () => (await import('#functions/registry/promote-live.ts')).handler,
  getRegistryRowHistory: async () => (await import('#functions/registry/history.ts')).handler,
  rollBackRegistryRow: async () => (await import('#functions/registry/rollback.ts')).handler,
  diffRegistryRow: async () => (await import('#functions/registry/diff.ts')).handler,
  deleteRegistryRow: async () => (await import('#functions/registry/delete.ts')).handler,
  triggerFlow: async () => (await import('#functions/trigger/run.ts')).buffered,
  acceptWebhook: async () => (await import('#functions/trigger/accept-webhook.ts')).handler,
  getRun: async () => (await import('#functions/trigger/get-status.ts')).handler,
  getLiveCard: async () => (await import('#functions/a2a/card-live.ts')).handler,
  callLiveAgent: async () => (await import('#functions/a2a/call-live.ts')).buffered,
  putConnection: async () => (await import('#functions/connection/put.ts')).handler,
  listConnections: async () => (await import('#functions/connection/list.ts')).handler,
  deleteConnection: async () => (await import('#functions/connection/delete.ts')).handler,
  createApiKey: async () => (await import('#functions/access/create-key.ts')).handler,
  listApiKeys: async () => (await import('#functions/access/list-keys.ts')).handler,
  revokeApiKey: async () => (await import('#functions/access/revoke-key.ts')).handler,
  listAudit: async () => (await import('#functions/access/list-audit.ts')).handler,
  getJwks: async () => (await import('#functions/access/jwks.ts')).handler,
} satisfies Partial<Record<OperationId, unknown>>;
type Counted = keyof typeof handlers;
type Options = Omit<Parameters<typeof eventFor>[1], 'key'>;
const answer = z.looseObject({ statusCode: z.number(), body: z.string() });

async function invoke(operation: Counted, caller: TestCaller, options: Options): Promise<unknown> {
  const { key } = caller;
  const handler = await handlers[operation]();
  const { statusCode, body } = answer.parse(
    await handler(eventFor(operation, { key, ...options }), lambdaContext()),
  );
  expect(statusCode, `${operation}: ${body}`).toBeLessThan(300);
  return body === '' ? undefined : JSON.parse(body);
}

/** The calls of one request, per service. */
async function cost(operation: Counted, caller: TestCaller, options: Options): Promise<string> {
  for (const proxy of proxies) proxy.calls.length = 0;
  await invoke(operation, caller, options);
  return proxies.map((proxy) => String(proxy.calls.length)).join(' ');
}

interface Case {
  readonly operation: Counted;
  /** Makes what has to be there, and says what request to count. */
  readonly prepare: (caller: TestCaller) => Promise<Options>;
  /** The request is sent once before it is counted, so that what a process remembers is remembered. */
  readonly isRepeated?: boolean;
}

const rowParams = (row: { a2aregistryid: string }) => ({ params: { a2aregistryid: row.a2aregistryid } });
const newFlow = async (caller: TestCaller, builds: number) => {
  const flowid = unique('flow');
  const rows: RegistryRow[] = [];
  for (let n = 0; n < builds; n += 1) rows.push(await newRow(caller, { flowid, visibility: 'public' }));
  return rows;
};
const liveFlow = async (caller: TestCaller): Promise<RegistryRow> =>
  await promoted(caller, await newRow(caller, { visibility: 'public' }));
const triggerRequest = async (caller: TestCaller) => {
  const row = await liveFlow(caller);
  const params = { workspace_id: caller.workspaceid, trigger_id: row.flowid, environment: 'live' };
  return { params, body: { message: 'hello' } };
};
const newKeyBody = { label: 'One', scopes: ['audit:read'], workspaces: '*' };
const credential = { token: 'hunter2' };
const body = { type: 'http_bearer', hosts: ['api.crm.example'], credential };
const crmOf = ({ workspaceid }: TestCaller) => ({ params: { name: 'crm' }, query: { workspaceid }, body });
const inWorkspace = ({ workspaceid }: TestCaller) => ({ query: { workspaceid } });

const cases: Readonly<Record<string, Case>> = {
  'registry: create': {
    operation: 'createRegistryRow',
    prepare: async (caller) => ({ ...inWorkspace(caller), body: createBody() }),
  },
  'registry: create with an Idempotency-Key': {
    operation: 'createRegistryRow',
    prepare: async (caller) => ({
      ...inWorkspace(caller),
      body: createBody(),
      headers: { 'Idempotency-Key': unique('key') },
    }),
  },
  'registry: create again with the same Idempotency-Key': {
    operation: 'createRegistryRow',
    prepare: async (caller) => ({
      ...inWorkspace(caller),
      body: createBody(),
      headers: { 'Idempotency-Key': unique('key') },
    }),
    isRepeated: true,
  },
  'registry: get': {
    operation: 'getRegistryRow',
    prepare: async (caller) => ({ ...rowParams(await newRow(caller)), query: {} }),
  },
  'registry: get with `flow=true`': {
    operation: 'getRegistryRow',
    prepare: async (caller) => ({ ...rowParams(await newRow(caller)), query: { flow: 'true' } }),
  },
  'registry: list, one page': {
    operation: 'listRegistryRows',
    prepare: async (caller) => {
      await newFlow(caller, 3);
      return inWorkspace(caller);
    },
  },
  'registry: search': {
    operation: 'searchRegistry',
    prepare: async (caller) => {
      await liveFlow(caller);
      return { query: { q: 'echo' } };
    },
    isRepeated: true,
  },
  'registry: update without a flow': {
    operation: 'updateRegistryRow',
    prepare: async (caller) => ({ ...rowParams(await newRow(caller)), body: { agent_card: card() } }),
  },
  'registry: update with a flow': {
    operation: 'updateRegistryRow',
    prepare: async (caller) => ({
      ...rowParams(await newRow(caller)),
      body: { agent_card: card(), flow: flow() },
    }),
  },
  'registry: promote the first build': {
    operation: 'promoteRegistryRow',
    prepare: async (caller) => rowParams(await newRow(caller)),
  },
  'registry: promote the build after the live one': {
    operation: 'promoteRegistryRow',
    prepare: async (caller) => {
      const live = await liveFlow(caller);
      return rowParams(await newRow(caller, { flowid: live.flowid }));
    },
  },
  'registry: promote a build that knew another live one': {
    operation: 'promoteRegistryRow',
    prepare: async (caller) => {
      const [first, second] = await newFlow(caller, 2);
      if (!first || !second) throw new Error('There are two builds.');
      await promoted(caller, first);
      return rowParams(second);
    },
  },
  'registry: promote the live build again': {
    operation: 'promoteRegistryRow',
    prepare: async (caller) => rowParams(await liveFlow(caller)),
  },
  'registry: promote over an updated live build': {
    operation: 'promoteRegistryRow',
    prepare: async (caller) => {
      const { a2aregistryid, flowid } = await liveFlow(caller);
      const next = await newRow(caller, { flowid });
      const change = { params: { a2aregistryid }, body: { agent_card: card() } };
      await call('updateRegistryRow', { key: caller.key, ...change });
      return rowParams(next);
    },
  },
  'registry: roll back': {
    operation: 'rollBackRegistryRow',
    prepare: async (caller) => {
      const { flowid } = await liveFlow(caller);
      return rowParams(await promoted(caller, await newRow(caller, { flowid })));
    },
  },
  'registry: history, one page': {
    operation: 'getRegistryRowHistory',
    prepare: async (caller) => rowParams(await newRow(caller)),
  },
  'registry: diff against the live build': {
    operation: 'diffRegistryRow',
    prepare: async (caller) => {
      const { flowid } = await liveFlow(caller);
      return rowParams(await newRow(caller, { flowid }));
    },
  },
  'registry: delete': {
    operation: 'deleteRegistryRow',
    prepare: async (caller) => rowParams(await liveFlow(caller)),
  },
  'trigger: run a flow of one node': { operation: 'triggerFlow', prepare: triggerRequest, isRepeated: true },
  'trigger: accept a webhook': {
    operation: 'acceptWebhook',
    prepare: async (caller) => ({
      params: { flow_id: (await liveFlow(caller)).flowid },
      body: { event: 'ping' },
    }),
    isRepeated: true,
  },
  'trigger: status of a run': {
    operation: 'getRun',
    prepare: async (caller) => {
      const { workflow_id } = z
        .object({ workflow_id: z.string() })
        .parse(await invoke('triggerFlow', caller, await triggerRequest(caller)));
      return { params: { workspace_id: caller.workspaceid, workflow_id } };
    },
  },
  'a2a: card of the live build': {
    operation: 'getLiveCard',
    prepare: async (caller) => ({ params: { flowId: (await liveFlow(caller)).flowid } }),
  },
  'a2a: SendMessage to a flow of one node': {
    operation: 'callLiveAgent',
    prepare: async (caller) => ({ params: { flowId: (await liveFlow(caller)).flowid } }),
    isRepeated: true,
  },
  'connections: store one': { operation: 'putConnection', prepare: async (caller) => crmOf(caller) },
  'connections: list those of a workspace': {
    operation: 'listConnections',
    prepare: async ({ workspaceid }) => ({ query: { workspaceid } }),
  },
  'connections: delete one': {
    operation: 'deleteConnection',
    prepare: async (caller) => {
      await invoke('putConnection', caller, crmOf(caller));
      return { ...crmOf(caller), body: undefined };
    },
  },
  'access: create an API key': { operation: 'createApiKey', prepare: async () => ({ body: newKeyBody }) },
  'access: list API keys': { operation: 'listApiKeys', prepare: async () => ({ query: {} }) },
  'access: revoke an API key': {
    operation: 'revokeApiKey',
    prepare: async (caller) => {
      const { keyid } = z
        .object({ keyid: z.string() })
        .parse(await invoke('createApiKey', caller, { body: newKeyBody }));
      return { params: { keyid } };
    },
  },
  'access: audit trail of one day': {
    operation: 'listAudit',
    prepare: async ({ workspaceid }) => {
      const day = new Date().toISOString().slice(0, 10);
      return { query: { workspaceid, from: `${day}T00:00:00Z`, to: `${day}T23:59:59Z` } };
    },
  },
  'access: jwks': { operation: 'getJwks', prepare: async () => ({}), isRepeated: true },
};

/** Rows of the table, `| request | DynamoDB | KMS | SQS |`, as request → "DynamoDB KMS SQS". */
function documented(): Record<string, string> {
  const text = readFileSync(new URL('../../docs/aws-calls.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| (\w+: .+?) +\| (\d+) +\| (\d+) +\| (\d+) +\|$/gm)];
  return Object.fromEntries(rows.map(([, says = '', ...counts]) => [says, counts.join(' ')]));
}

test('a warm request makes exactly the AWS calls that docs/aws-calls.md says', {
  timeout: 30_000,
}, async () => {
  const measured: Record<string, string> = {};
  for (const [says, { operation, prepare, isRepeated }] of Object.entries(cases)) {
    const caller = await newCaller();
    const options = await prepare(caller);
    // What a process asks once is asked now: the signing key, and what this caller's key says.
    await invoke('getRegistryRow', caller, { ...rowParams(await newRow(caller)), query: {} });
    if (isRepeated) await invoke(operation, caller, options);
    measured[says] = await cost(operation, caller, options);
  }
  expect(measured).toEqual(documented());
});
