// Runs functions in this process, as in Lambda, and counts the AWS calls and the capacity units of one
// request, or of one message of a queue.
import type { Context } from 'aws-lambda';
import { expect, vi } from 'vitest';
import * as z from 'zod';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';
import { queueSources } from '#lib/routes/event-sources.ts';
import { type OperationId, routes } from '#lib/routes/routes.ts';
import { type AwsProxy, startAwsProxy } from './aws-proxy.ts';
import type { TestCaller } from './caller.ts';
import { type CapacityMeter, type MeteredCall, startCapacityMeter } from './capacity-meter.ts';
import { eventFor, lambdaContext } from './events.ts';
import { type Authorization, listAuthorizations } from './role-policies.ts';
import { batch } from './runs.ts';

interface Counters {
  readonly meter: CapacityMeter;
  readonly dynamodb: AwsProxy;
  readonly kms: AwsProxy;
  readonly sqs: AwsProxy;
  readonly lambda: AwsProxy;
}
let counters: Counters | undefined;
/** The function, such as `registry/create`. */
let running: string | undefined;

/** The authorizations that the DynamoDB calls of each function need. */
export const asked: { readonly entry: string; readonly wanted: Authorization }[] = [];

export type Options = Omit<Parameters<typeof eventFor>[1], 'key'>;

export interface Case {
  readonly operation: OperationId;
  /** Creates the data that the request needs, and returns the request to count. */
  readonly prepare: (caller: TestCaller) => Promise<Options>;
  /** The request has a code that another server accepts once. */
  readonly hasCode?: boolean;
  /** The request is sent once before it is counted, so that the caches of the process are filled. */
  readonly isRepeated?: boolean;
  /** The capacity units depend on data of other tests, so they are not counted. */
  readonly hasVaryingUnits?: boolean;
}

export interface Cost {
  /** The number of calls. */
  readonly dynamodb: number;
  readonly kms: number;
  readonly sqs: number;
  /** Invocations of other functions of the stack. */
  readonly lambda: number;
  /** The number of KMS calls that sign. */
  readonly signatures: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** Starts proxies between this process and the engines. Returns a function that stops them. `watch` sees each call to DynamoDB. */
export async function startCounting(
  watch?: (call: MeteredCall) => Promise<void> | undefined,
): Promise<() => Promise<void>> {
  installAwsLambda();
  stopIntervals();
  const meter = await startCapacityMeter(readEndpoint('DYNAMODB'), watch);
  const [dynamodb, kms, sqs, lambda] = await Promise.all([
    startAwsProxy(meter.url, (operation, body) => {
      // Calls by which a test prepares its data are not counted.
      if (running === undefined) return 'pass';
      for (const wanted of listAuthorizations(operation, body)) asked.push({ entry: running, wanted });
      return 'pass';
    }),
    startAwsProxy(readEndpoint('KMS')),
    startAwsProxy(readEndpoint('SQS'), (operation, body) =>
      running !== undefined && operation === 'SendMessage' ? { instead: delayed(body) } : 'pass',
    ),
    startAwsProxy(readEndpoint('LAMBDA')),
  ]);
  counters = { meter, dynamodb, kms, sqs, lambda };
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
    AWS_ENDPOINT_URL_KMS: kms.url,
    AWS_ENDPOINT_URL_SQS: sqs.url,
    AWS_ENDPOINT_URL_LAMBDA: lambda.url,
    // The address of a queue is a full URL, which the SDK prefers to the endpoint.
    RUN_QUEUE_URL: process.env.RUN_QUEUE_URL?.replace(/^http:\/\/[^/]+/, sqs.url),
    DELIVERY_QUEUE_URL: process.env.DELIVERY_QUEUE_URL?.replace(/^http:\/\/[^/]+/, sqs.url),
  });
  return async () => {
    vi.useRealTimers();
    await Promise.all([dynamodb, kms, sqs, lambda, meter].map((each) => each.close()));
  };
}

/**
 * Runs save what they have, or read their lease, once a second. Here none is that slow, however busy the machine
 * is.
 */
const intervals = ['setInterval', 'clearInterval'] as const;
const stopIntervals = () => vi.useFakeTimers({ toFake: [...intervals] });

/** What a function of this process sends is received after the test, so that no worker changes its data meanwhile. */
function delayed(sent: Buffer): Buffer {
  const message = z.looseObject({}).parse(JSON.parse(sent.toString()));
  return Buffer.from(JSON.stringify({ ...message, DelaySeconds: 900 }));
}

function readEndpoint(service: 'DYNAMODB' | 'KMS' | 'SQS' | 'LAMBDA'): string {
  const url = process.env[`AWS_ENDPOINT_URL_${service}`];
  if (!url) throw new Error('This test needs the local host: run it without BASE_URL.');
  return url;
}

const functionModule = z.object({ handler: z.function(), buffered: z.function().optional() });
const answer = z.looseObject({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

export async function invoke(operation: OperationId, caller: TestCaller, options: Options): Promise<unknown> {
  const { statusCode, headers, body } = await request(operation, caller, options);
  const isPage = headers['content-type']?.startsWith('text/html') || statusCode === 303;
  const isConditional = options.headers?.['If-None-Match'] !== undefined && statusCode === 304;
  expect(isConditional ? 200 : statusCode, `${operation}: ${body}`).toBeLessThan(isPage ? 304 : 300);
  return body === '' || isPage ? undefined : JSON.parse(body);
}

/**
 * Returns any response. The function is imported here, since streaming functions read `awslambda` while they
 * load.
 */
export async function request(
  operation: OperationId,
  caller: TestCaller,
  options: Options,
): Promise<z.infer<typeof answer>> {
  const event = eventFor(operation, { key: caller.key, ...options });
  return answer.parse(await invokeFunction(routes[operation].entry, event, lambdaContext()));
}

async function invokeFunction(entry: string, event: object, context: Context): Promise<unknown> {
  const file = new URL(`../../functions/${entry}.ts`, import.meta.url).href;
  const { handler, buffered } = functionModule.parse(await import(/* @vite-ignore */ file));
  running = entry;
  const answered = await Reflect.apply(buffered ?? handler, undefined, [event, context]);
  running = undefined;
  return answered;
}

export type QueueName = keyof typeof queueSources;

/** Has the function of a queue handle a message, which must succeed, as if it were so much later. */
export async function consume(queue: QueueName, body: string, laterMs = 0): Promise<void> {
  const { entry, timeoutSeconds } = queueSources[queue];
  const context = { ...lambdaContext(), getRemainingTimeInMillis: () => timeoutSeconds * 1_000 };
  if (laterMs > 0) vi.useFakeTimers({ toFake: ['Date', ...intervals], now: Date.now() + laterMs });
  const answered = await invokeFunction(entry, batch([body]), context);
  if (laterMs > 0) stopIntervals();
  expect(answered, body).toEqual({ batchItemFailures: [] });
}

/** The AWS calls and capacity units of one request. */
export const cost = (operation: OperationId, caller: TestCaller, options: Options): Promise<Cost> =>
  countCalls(() => invoke(operation, caller, options));

/** The same of one invocation of a function that no request calls. */
export const functionCost = (entry: string, event: object): Promise<Cost> =>
  countCalls(() => invokeFunction(entry, event, lambdaContext()));

/** The calls by which Lambda receives a message of a queue and deletes it, which SQS charges too. */
const callsOfLambda = 2;

/** The same of one message, with the calls of Lambda itself. */
export async function messageCost(queue: QueueName, body: string, laterMs?: number): Promise<Cost> {
  const { sqs, ...others } = await countCalls(() => consume(queue, body, laterMs));
  return { ...others, sqs: sqs + callsOfLambda };
}

async function countCalls(run: () => Promise<unknown>): Promise<Cost> {
  if (!counters) throw new Error('Start counting first.');
  const { meter, ...proxies } = counters;
  meter.reset();
  for (const proxy of Object.values(proxies)) proxy.calls.length = 0;
  await run();
  return {
    dynamodb: proxies.dynamodb.calls.length,
    kms: proxies.kms.calls.length,
    sqs: proxies.sqs.calls.length,
    lambda: proxies.lambda.calls.length,
    signatures: proxies.kms.calls.filter((call) => call === 'Sign').length,
    readUnits: meter.count.readUnits,
    writeUnits: meter.count.writeUnits,
  };
}
