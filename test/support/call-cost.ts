// Runs functions in this process, as they run in Lambda, and counts the AWS calls of one request.
import { expect } from 'vitest';
import * as z from 'zod';
import { type OperationId, routes } from '#lib/api/routes.ts';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';
import { type AwsProxy, startAwsProxy } from './aws-proxy.ts';
import type { TestCaller } from './caller.ts';
import { eventFor, lambdaContext } from './events.ts';

const services = ['DYNAMODB', 'KMS', 'SQS'] as const;
const proxies: AwsProxy[] = [];

export type Options = Omit<Parameters<typeof eventFor>[1], 'key'>;

export interface Case {
  readonly operation: OperationId;
  /** Makes what has to be there, and says what request to count. */
  readonly prepare: (caller: TestCaller) => Promise<Options>;
  /** The request is sent once before it is counted, so that what a process remembers is remembered. */
  readonly isRepeated?: boolean;
}

/** Puts the proxies between this process and the engines. Returns what takes them away. */
export async function startCounting(): Promise<() => Promise<void>> {
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
  return async () => void (await Promise.all(proxies.map((proxy) => proxy.close())));
}

const functionModule = z.object({ handler: z.function(), buffered: z.function().optional() });
const answer = z.looseObject({ statusCode: z.number(), body: z.string() });

/** Imported when it is needed: those that stream look for `awslambda` while they load. */
export async function invoke(operation: OperationId, caller: TestCaller, options: Options): Promise<unknown> {
  const file = new URL(`../../functions/${routes[operation].entry}.ts`, import.meta.url).href;
  const { handler, buffered } = functionModule.parse(await import(/* @vite-ignore */ file));
  const event = eventFor(operation, { key: caller.key, ...options });
  const { statusCode, body } = answer.parse(
    await Reflect.apply(buffered ?? handler, undefined, [event, lambdaContext()]),
  );
  expect(statusCode, `${operation}: ${body}`).toBeLessThan(300);
  return body === '' ? undefined : JSON.parse(body);
}

/** The calls of one request, per service. */
export async function cost(operation: OperationId, caller: TestCaller, options: Options): Promise<string> {
  for (const proxy of proxies) proxy.calls.length = 0;
  await invoke(operation, caller, options);
  return proxies.map((proxy) => String(proxy.calls.length)).join(' ');
}
