// What every route answers when its writes meet transactions of others, which no engine on a laptop does by
// itself: a proxy in front of DynamoDB answers in its place. The handlers run in this process.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';
import type { OperationId } from '#lib/routes/routes.ts';
import { type AwsProxy, startAwsProxy, type Verdict } from '#test/support/aws-proxy.ts';
import { invoke, type Options, request } from '#test/support/call-cost.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { conflict, conflictOfOne, isSingleWrite } from '#test/support/chaos/faults.ts';
import { requestCases } from '#test/support/request-cases.ts';
import { implementationNames } from '../support/implementation-names.ts';

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

/**
 * What DynamoDB answers such a call that meets a transaction; undefined for calls that never do. Reads of one
 * item are not refused.
 */
function refuseWrite(operation: string, body: Buffer): Verdict | undefined {
  // A process counts requests by itself while the table refuses its counts.
  if (body.includes('"LIMIT#TASK#')) return undefined;
  if (isSingleWrite(operation) || operation === 'BatchWriteItem') return conflictOfOne;
  if (!operation.startsWith('Transact')) return undefined;
  return conflict(transaction.parse(JSON.parse(body.toString())).TransactItems.length);
}

/** Refuses each call so often, and counts the refusals; sent again after that it has its effect. */
function refusing(times: number) {
  const met = new Map<string, number>();
  const counted = { refused: 0 };
  judge = (operation, body) => {
    const name = `${operation} ${body.toString().replace(/"ClientRequestToken":"[^"]*"/, '')}`;
    const count = met.get(name) ?? 0;
    const refusal = count < times ? refuseWrite(operation, body) : undefined;
    if (!refusal) return 'pass';
    met.set(name, count + 1);
    counted.refused += 1;
    return refusal;
  };
  return counted;
}
afterEach(() => {
  judge = () => 'pass';
});

interface Prepared {
  readonly operation: OperationId;
  readonly caller: TestCaller;
  readonly options: Options;
}

const cases = Object.entries(requestCases);
const prepared = new Map<string, Prepared>();
/** What each request was answered while all writes were refused. */
const refusals = new Map<string, Awaited<ReturnType<typeof request>>>();
beforeAll(async () => {
  await concurrently(cases, 4, async ([says, { operation, prepare, isRepeated }]) => {
    const caller = await newCaller();
    const options = await prepare(caller);
    if (isRepeated) await invoke(operation, caller, options);
    prepared.set(says, { operation, caller, options });
  });
  refusing(Number.POSITIVE_INFINITY);
  // They pause between their attempts, and so many at a time. None of them stores anything.
  await concurrently([...prepared], 16, async ([says, { operation, caller, options }]) => {
    refusals.set(says, await request(operation, caller, options));
  });
  judge = () => 'pass';
});

/** So many at a time. */
async function concurrently<T>(items: readonly T[], count: number, act: (item: T) => Promise<void>) {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: count }, worker));
}

const findCase = (says: string) => {
  const [request, refusal] = [prepared.get(says), refusals.get(says)];
  if (!request || !refusal) throw new Error(`There is no case "${says}".`);
  return { ...request, refusal };
};

describe('a route whose every write conflicts with other transactions', () => {
  test.each(cases.map(([says]) => says))(
    '%s answers 409 or 503 with Retry-After while the conflicts last, and succeeds after a single conflict',
    async (says) => {
      const { operation, caller, options, refusal } = findCase(says);
      const { hasCode, prepare } = requestCases[says] ?? {};
      const again = (hasCode && (await prepare?.(caller))) || options;
      const counted = refusing(1);
      expect(isToolError(await invoke(operation, caller, again))).toBe(false);
      // A conditional request may be answered with 304.
      const below = options.headers?.['If-None-Match'] ? 305 : 304;
      if (counted.refused === 0) return expect(refusal.statusCode).toBeLessThan(below);
      if (operation === 'callConnector') return expectToolError(refusal);
      expect([409, 503], `${refusal.statusCode} ${refusal.body}`).toContain(refusal.statusCode);
      expect(refusal.headers['retry-after']).toMatch(/^\d+$/);
      expect(refusal.body).not.toMatch(implementationNames);
    },
  );
});

/** MCP has models react to failures of tools, so these are results (2026-07-28, tools, error handling). */
const toolError = z.object({
  result: z.object({ isError: z.literal(true), content: z.tuple([z.object({ text: z.string() })]) }),
});
const isToolError = (answer: unknown): boolean => toolError.safeParse(answer).success;

function expectToolError({ statusCode, body }: Awaited<ReturnType<typeof request>>): void {
  expect(statusCode).toBe(200);
  const [{ text }] = toolError.parse(JSON.parse(body)).result.content;
  expect(text).toMatch(/ Try again in a few seconds\.$/);
  expect(text).not.toMatch(implementationNames);
}

test('an Idempotency-Key that is sent again while the first request commits gets 409', () => {
  const { refusal } = findCase('registry: create with an Idempotency-Key');
  expect(JSON.parse(refusal.body).code).toBe('idempotency_in_flight');
  expect(refusal.headers['retry-after']).toBe('1');
});
