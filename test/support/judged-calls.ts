// Functions in this process behind a proxy that answers in DynamoDB's place, as a test says. For files of the project
// `isolated`, so that no other test is disturbed.
import { afterAll, afterEach, beforeAll } from 'vitest';
import * as z from 'zod';
import type { OperationId } from '#lib/routes/routes.ts';
import { type AwsProxy, startAwsProxy, type Verdict } from './aws-proxy.ts';
import { eventFor, lambdaContext } from './events.ts';

type Judge = (operation: string) => Verdict;

const pass: Judge = () => 'pass';

/** Begins before the tests of the file. Returns what judges the calls from now on, until the end of the test. */
export function judgeDynamoDb(): (judge: Judge) => void {
  let proxy: AwsProxy | undefined;
  let current = pass;
  beforeAll(async () => {
    const upstream = process.env.AWS_ENDPOINT_URL_DYNAMODB;
    if (!upstream) throw new Error('This test needs the local host: run it without BASE_URL.');
    proxy = await startAwsProxy(upstream, (operation) => current(operation));
    process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
  });
  afterEach(() => {
    current = pass;
  });
  afterAll(async () => await proxy?.close());
  return (judge) => {
    current = judge;
  };
}

type Handler = (event: ReturnType<typeof eventFor>, context: ReturnType<typeof lambdaContext>) => unknown;

const answer = z.looseObject({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

/** Sends a request of an operation to its function, and returns the answer with the code of an error. */
export const invokeHere =
  <O extends OperationId>(handlers: Readonly<Record<O, Handler>>) =>
  async (operation: O, options: Parameters<typeof eventFor>[1]) => {
    const given = answer.parse(await handlers[operation](eventFor(operation, options), lambdaContext()));
    return { ...given, code: given.statusCode < 300 ? undefined : String(JSON.parse(given.body).code) };
  };

/** The answer of DynamoDB to a transaction that it has cancelled because of others. */
export const conflict: Verdict = {
  status: 400,
  error: {
    __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
    message: 'Transaction cancelled.',
    CancellationReasons: [{ Code: 'TransactionConflict' }],
  },
};
