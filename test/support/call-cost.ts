// Runs functions in this process, as they run in Lambda, and counts the AWS calls of one request and what DynamoDB charges for them.
import { expect } from 'vitest';
import * as z from 'zod';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';
import { type OperationId, routes } from '#lib/routes/routes.ts';
import { type AwsProxy, startAwsProxy } from './aws-proxy.ts';
import type { TestCaller } from './caller.ts';
import { type CapacityMeter, startCapacityMeter } from './capacity-meter.ts';
import { eventFor, lambdaContext } from './events.ts';
import { type Authorization, listAuthorizations } from './role-policies.ts';

interface Counters {
  readonly meter: CapacityMeter;
  readonly dynamodb: AwsProxy;
  readonly kms: AwsProxy;
  readonly sqs: AwsProxy;
}
let counters: Counters | undefined;
let running: OperationId | undefined;

/** What each operation has asked DynamoDB for. */
export const asked: { readonly operation: OperationId; readonly wanted: Authorization }[] = [];

export type Options = Omit<Parameters<typeof eventFor>[1], 'key'>;

export interface Case {
  readonly operation: OperationId;
  /** Makes what has to be there, and says what request to count. */
  readonly prepare: (caller: TestCaller) => Promise<Options>;
  /** The request is sent once before it is counted, so that what a process remembers is remembered. */
  readonly isRepeated?: boolean;
  /** What DynamoDB charges depends on what others have stored, so it is not counted. */
  readonly hasVaryingUnits?: boolean;
}

export interface Cost {
  /** Calls. */
  readonly dynamodb: number;
  readonly kms: number;
  readonly sqs: number;
  /** Of the calls of KMS. */
  readonly signatures: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** Puts the proxies between this process and the engines. Returns what takes them away. */
export async function startCounting(): Promise<() => Promise<void>> {
  installAwsLambda();
  const meter = await startCapacityMeter(readEndpoint('DYNAMODB'));
  const [dynamodb, kms, sqs] = await Promise.all([
    startAwsProxy(meter.url, (operation, body) => {
      // What a test prepares in this process is not a function's.
      if (running === undefined) return 'pass';
      for (const wanted of listAuthorizations(operation, body)) asked.push({ operation: running, wanted });
      return 'pass';
    }),
    startAwsProxy(readEndpoint('KMS')),
    startAwsProxy(readEndpoint('SQS')),
  ]);
  counters = { meter, dynamodb, kms, sqs };
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
    AWS_ENDPOINT_URL_KMS: kms.url,
    AWS_ENDPOINT_URL_SQS: sqs.url,
    // The queue's address is a full URL, which the SDK prefers to the endpoint.
    RUN_QUEUE_URL: process.env.RUN_QUEUE_URL?.replace(/^http:\/\/[^/]+/, sqs.url),
  });
  return async () => void (await Promise.all([dynamodb, kms, sqs, meter].map((each) => each.close())));
}

function readEndpoint(service: 'DYNAMODB' | 'KMS' | 'SQS'): string {
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
  const { statusCode, body } = await request(operation, caller, options);
  expect(statusCode, `${operation}: ${body}`).toBeLessThan(300);
  return body === '' ? undefined : JSON.parse(body);
}

/** Whatever the function answers. It is imported when it is needed: those that stream look for `awslambda` while they load. */
export async function request(
  operation: OperationId,
  caller: TestCaller,
  options: Options,
): Promise<z.infer<typeof answer>> {
  const file = new URL(`../../functions/${routes[operation].entry}.ts`, import.meta.url).href;
  const { handler, buffered } = functionModule.parse(await import(/* @vite-ignore */ file));
  const event = eventFor(operation, { key: caller.key, ...options });
  running = operation;
  const answered = await Reflect.apply(buffered ?? handler, undefined, [event, lambdaContext()]);
  running = undefined;
  return answer.parse(answered);
}

/** Of one request. */
export async function cost(operation: OperationId, caller: TestCaller, options: Options): Promise<Cost> {
  if (!counters) throw new Error('Start counting first.');
  const { meter, ...proxies } = counters;
  meter.reset();
  for (const proxy of Object.values(proxies)) proxy.calls.length = 0;
  await invoke(operation, caller, options);
  return {
    dynamodb: proxies.dynamodb.calls.length,
    kms: proxies.kms.calls.length,
    sqs: proxies.sqs.calls.length,
    signatures: proxies.kms.calls.filter((call) => call === 'Sign').length,
    readUnits: meter.count.readUnits,
    writeUnits: meter.count.writeUnits,
  };
}
