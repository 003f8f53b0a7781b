// DynamoDB ends a page where it likes, such as after a megabyte: lists must go by the key to go on from, and
// not by how much a page holds. A proxy between the functions, in this process, and the engine makes every
// page one item long.
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import type { Route } from '#lib/http/route.ts';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';
import { routes } from '#lib/routes/routes.ts';
import { type AwsProxy, startAwsProxy } from '#test/support/aws-proxy.ts';
import { invoke, type Options } from '#test/support/call-cost.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { type List, listedCount, listOperations, lists } from '#test/support/lists.ts';

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

const page = z.object({ items: z.array(z.unknown()), nextCursor: z.string().optional() });
const asked = async (operation: List, caller: TestCaller, options: Options) =>
  page.parse(await invoke(operation, caller, options));

test.each(listOperations)(
  '%s returns every item, however short the pages of DynamoDB are',
  async (operation) => {
    const caller = await newCaller();
    const { holds = listedCount, ...options } = await lists[operation](caller);
    const whole = await asked(operation, caller, options);
    expect(whole.items).toHaveLength(holds);
    expect(whole.nextCursor).toBeUndefined();
  },
);

const paged = listOperations.filter((operation) => {
  const { query }: Route = routes[operation];
  return query instanceof z.ZodObject && 'limit' in query.shape;
});

test.each(paged)(
  '%s returns full pages without gaps, however short the pages of DynamoDB are',
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
    } while (cursor !== undefined && sizes.length <= listedCount);
    expect(sizes).toEqual([2, 2, 1]);
  },
);

test('these tests cover every list', () => {
  const found = Object.entries(routes).filter(([, { method, query, response }]) => {
    const isPage = response.schema instanceof z.ZodObject && 'items' in response.schema.shape;
    return method === 'GET' && isPage && query !== undefined;
  });
  // The next times of a schedule are computed.
  expect(found.map(([name]) => name).sort()).toEqual([...listOperations, 'nextRuns'].sort());
});
