// What every route answers when its writes meet transactions of others, which no engine on a laptop does by itself: a proxy in front of
// DynamoDB answers in its place. The handlers run in this process.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';
import { type AwsProxy, startAwsProxy, type Verdict } from '#test/support/aws-proxy.ts';
import { invoke, request } from '#test/support/call-cost.ts';
import { newCaller } from '#test/support/caller.ts';
import { conflict, conflictOfOne, isSingleWrite } from '#test/support/chaos/faults.ts';
import { requestCases } from '#test/support/request-cases.ts';

let judge: (operation: string, body: Buffer) => Verdict = () => 'pass';
let proxy: AwsProxy;

beforeAll(async () => {
  installAwsLambda();
  const upstream = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (!upstream) throw new Error('This test needs the local host: run it without BASE_URL.');
  proxy = await startAwsProxy(upstream, (operation, body) => judge(operation, body));
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
});
afterAll(() => proxy.close());

const transaction = z.object({ TransactItems: z.array(z.unknown()) });

/** What DynamoDB answers such a call that meets a transaction; undefined for calls that never do. Reads of one item are not refused. */
function refusalOf(operation: string, body: Buffer): Verdict | undefined {
  if (isSingleWrite(operation) || operation === 'BatchWriteItem') return conflictOfOne;
  if (!operation.startsWith('Transact')) return undefined;
  return conflict(transaction.parse(JSON.parse(body.toString())).TransactItems.length);
}

/** Counts the calls that were refused; each call is refused so often, and sent again it has its effect. */
async function whileRefused<T>(
  times: number,
  act: () => Promise<T>,
): Promise<{ result: T; refused: number }> {
  const met = new Map<string, number>();
  let refused = 0;
  judge = (operation, body) => {
    const name = `${operation} ${body.toString().replace(/"ClientRequestToken":"[^"]*"/, '')}`;
    const count = met.get(name) ?? 0;
    const refusal = count < times ? refusalOf(operation, body) : undefined;
    if (!refusal) return 'pass';
    met.set(name, count + 1);
    refused += 1;
    return refusal;
  };
  try {
    return { result: await act(), refused };
  } finally {
    judge = () => 'pass';
  }
}

const cases = Object.entries(requestCases);
const prepared = async ([, { prepare, isRepeated, operation }]: (typeof cases)[number]) => {
  const caller = await newCaller();
  const options = await prepare(caller);
  if (isRepeated) await invoke(operation, caller, options);
  return { caller, options };
};

describe('a route whose every write meets a transaction once', () => {
  test.each(cases)('%s answers as it always does', async (...each) => {
    const { caller, options } = await prepared(each);
    await whileRefused(1, () => invoke(each[1].operation, caller, options));
  });
});

describe('a route whose every write meets transactions for ever', () => {
  test.each(cases)('%s is 409 or 503, and says when to come back', async (...each) => {
    const [, { operation }] = each;
    const { caller, options } = await prepared(each);
    const { result, refused } = await whileRefused(Number.POSITIVE_INFINITY, () =>
      request(operation, caller, options),
    );
    if (refused === 0) return expect(result.statusCode).toBeLessThan(300);
    expect([409, 503], `${result.statusCode} ${result.body}`).toContain(result.statusCode);
    expect(result.headers['retry-after']).toMatch(/^\d+$/);
    expect(result.body).not.toMatch(/transaction|dynamo|aws/i);
  });
});

test('an Idempotency-Key that is sent again while its first request is committed is 409', async () => {
  const keyed = cases.find(([says]) => says === 'registry: create with an Idempotency-Key');
  if (!keyed) throw new Error('There is such a case.');
  const { caller, options } = await prepared(keyed);
  const { result } = await whileRefused(Number.POSITIVE_INFINITY, () =>
    request('createRegistryRow', caller, options),
  );
  expect(JSON.parse(result.body).code).toBe('idempotency_in_flight');
  expect(result.headers['retry-after']).toBe('1');
});
