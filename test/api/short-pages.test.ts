// DynamoDB ends a page where it likes, such as after a megabyte: lists must go by the key to go on from, and not by how much a page holds. A
// proxy between the functions, in this process, and the engine makes every page one item long.
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import type { Route } from '#lib/api/route.ts';
import { routes } from '#lib/api/routes.ts';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';
import { type AwsProxy, startAwsProxy } from '#test/support/aws-proxy.ts';
import { card, newRow } from '#test/support/builders.ts';
import { invoke, type Options } from '#test/support/call-cost.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { bearer, putConnection } from '#test/support/connections.ts';
import { idle } from '#test/support/control.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';
import { storedRuns } from '#test/support/stored-run.ts';
import { newTrigger, setting } from '#test/support/triggers.ts';

const command = z.looseObject({});
const onlyOne = (body: Buffer) =>
  Buffer.from(JSON.stringify({ ...command.parse(JSON.parse(body.toString())), Limit: 1 }));

let proxy: AwsProxy;
beforeAll(async () => {
  const upstream = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (!upstream) throw new Error('This test needs the local host: run it without BASE_URL.');
  installAwsLambda();
  proxy = await startAwsProxy(upstream, (operation, body) =>
    operation === 'Query' ? { instead: onlyOne(body) } : 'pass',
  );
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
});
afterAll(() => proxy.close());

const operations = [
  'listRuns',
  'listRegistryRows',
  'getRegistryRowHistory',
  'searchRegistry',
  'listTriggers',
  'listEnvironments',
  'listDeadLetters',
  'listConnections',
  'listApiKeys',
  'listAudit',
] as const;
type List = (typeof operations)[number];

const count = 5;
const times = async (make: (n: number) => Promise<unknown>) => {
  for (let n = 0; n < count; n += 1) await make(n);
};
const inWorkspace = ({ workspaceid }: TestCaller): Options => ({ query: { workspaceid } });

/** Each makes five for its list, or says how many there are, and says what to ask for. */
const lists: Record<List, (caller: TestCaller) => Promise<Options & { readonly holds?: number }>> = {
  listRuns: async (caller) => {
    await storedRuns(caller, count);
    return inWorkspace(caller);
  },
  listRegistryRows: async (caller) => {
    await times(() => newRow(caller));
    return inWorkspace(caller);
  },
  getRegistryRowHistory: async (caller) => {
    const { a2aregistryid } = await newRow(caller);
    const { key } = caller;
    const body = { agent_card: card() };
    for (let n = 1; n < count; n += 1)
      await call('updateRegistryRow', { key, params: { a2aregistryid }, body });
    return { params: { a2aregistryid }, query: {} };
  },
  searchRegistry: async (caller) => {
    await times(() => newRow(caller, { agent_card: card({ description: 'Answers about parcels.' }) }));
    return { query: { q: 'parcels', status: 'test' } };
  },
  listTriggers: async (caller) => {
    const { flowid } = await newRow(caller, { flowid: unique('flow') });
    await times(() => newTrigger({ ...caller, flowid }));
    return inWorkspace(caller);
  },
  listEnvironments: async (caller) => {
    const names = ['live', 'test', 'dev', 'uat'];
    for (const name of names) await setting({ ...caller, flowid: '' }, name, {});
    return { ...inWorkspace(caller), holds: names.length };
  },
  listDeadLetters: async (caller) => {
    const agent = { ...caller, flowid: unique('flow'), a2aregistryid: '' };
    await times(() => deliver(JSON.stringify(webhookMessage(agent))));
    await idle();
    return inWorkspace(caller);
  },
  listConnections: async (caller) => {
    await times((n) => putConnection(caller, `crm_${n}`, bearer()));
    return inWorkspace(caller);
  },
  listApiKeys: async (caller) => {
    const body = { label: 'One', scopes: ['assistants.flows:read'], workspaces: '*' };
    await times(() => call('createApiKey', { key: caller.key, body }));
    return { query: {} };
  },
  listAudit: async (caller) => {
    await times(() => newRow(caller));
    await idle();
    return inWorkspace(caller);
  },
};

const page = z.object({ items: z.array(z.unknown()), nextCursor: z.string().optional() });
const asked = async (operation: List, caller: TestCaller, options: Options) =>
  page.parse(await invoke(operation, caller, options));

test.each(operations)('%s gives all there is, however short the pages of DynamoDB are', async (operation) => {
  const caller = await newCaller();
  const { holds = count, ...options } = await lists[operation](caller);
  const whole = await asked(operation, caller, options);
  expect(whole.items).toHaveLength(holds);
  expect(whole.nextCursor).toBeUndefined();
});

const paged = operations.filter((operation) => {
  const { query }: Route = routes[operation];
  return query instanceof z.ZodObject && 'limit' in query.shape;
});

test.each(paged)(
  '%s gives full pages that leave nothing out, however short those of DynamoDB are',
  async (operation) => {
    const caller = await newCaller();
    const { query, ...options } = await lists[operation](caller);
    const sizes: number[] = [];
    let cursor: string | undefined;
    do {
      const more = { limit: '2', ...(cursor !== undefined && { cursor }) };
      const given = await asked(operation, caller, { ...options, query: { ...query, ...more } });
      sizes.push(given.items.length);
      cursor = given.nextCursor;
    } while (cursor !== undefined && sizes.length <= count);
    expect(sizes).toEqual([2, 2, 1]);
  },
);

test('no list is missing here', () => {
  const found = Object.entries(routes).filter(([, { method, query, response }]) => {
    const isPage = response.schema instanceof z.ZodObject && 'items' in response.schema.shape;
    return method === 'GET' && isPage && query !== undefined;
  });
  // The next times of a schedule are computed.
  expect(found.map(([name]) => name).sort()).toEqual([...operations, 'nextRuns'].sort());
});
