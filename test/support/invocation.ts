// Calls a function in this process, for tests that change what its environment names: a queue that is down, a
// key that is disabled.
import * as z from 'zod';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';
import { readEvent } from './events.ts';

const proxyEvent = z.looseObject({ headers: z.record(z.string(), z.string()) });

interface RequestParts {
  readonly key: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The sample event of a function, with what matters to the test in place. */
export function buildEvent(entry: string, { key, params, body, headers: more }: RequestParts) {
  const sample = proxyEvent.parse(readEvent(entry));
  const text = JSON.stringify(body);
  const { 'X-API-Key': _, Authorization: __, ...others } = sample.headers;
  const headers = {
    ...others,
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    ...more,
  };
  return {
    ...sample,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    pathParameters: params,
    body: text,
  };
}

export const context = { awsRequestId: 'test', functionName: 'test', getRemainingTimeInMillis: () => 20_000 };

const answer = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
type Handler = (event: never, context: never) => unknown;

/** Streaming functions need the global of the Lambda runtime when they are loaded: load them with this. */
export async function load<M>(module: () => Promise<M>): Promise<M> {
  installAwsLambda();
  return await module();
}

export async function invokeHere(handler: Handler, event: object, remainingMs = 20_000) {
  const here = { ...context, getRemainingTimeInMillis: () => remainingMs };
  const { body, ...rest } = answer.parse(await Reflect.apply(handler, undefined, [event, here]));
  return { ...rest, body: z.record(z.string(), z.unknown()).parse(JSON.parse(body)) };
}
