// The sample events of `events/` as fixtures: the event of a route with the values of a test, and a Lambda
// context.
import { existsSync, readFileSync } from 'node:fs';
import type { Context } from 'aws-lambda';
import * as z from 'zod';
import { type OperationId, routes } from '#lib/routes/routes.ts';

const proxyEvent = z.looseObject({
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  multiValueHeaders: z.record(z.string(), z.array(z.string())),
  multiValueQueryStringParameters: z.record(z.string(), z.array(z.string())).nullable(),
  pathParameters: z.record(z.string(), z.string()).nullable(),
  body: z.string().nullable(),
});
export type ProxyEvent = z.infer<typeof proxyEvent>;

export function readEventText(entry: string): string {
  const file = new URL(`../../events/${entry}.json`, import.meta.url);
  if (!existsSync(file)) throw new Error(`events/${entry}.json is missing: run \`npm run events\`.`);
  return readFileSync(file, 'utf8');
}
export const readEvent = (entry: string): unknown => JSON.parse(readEventText(entry));

interface EventOptions {
  readonly key: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The fields of a form, instead of a body. */
  readonly form?: Readonly<Record<string, string>>;
  /** Another address of the route, with what follows it. */
  readonly address?: { readonly method: string; readonly resource: string; readonly subpath?: string };
  /** An empty value leaves the header out. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function eventFor(
  operationId: OperationId,
  { key, params = {}, query, body, form, address, headers: more = {} }: EventOptions,
): ProxyEvent {
  const event = proxyEvent.parse(readEvent(routes[operationId].entry));
  const withKey = (text: string) => text.replace('<API_KEY>', key);
  const headers = Object.entries({ ...event.headers, ...more })
    .filter(([, value]) => value !== '')
    .map(([name, value]): [string, string] => [name, withKey(value)]);
  return {
    ...event,
    headers: Object.fromEntries(headers),
    multiValueHeaders: Object.fromEntries(headers.map(([name, value]) => [name, [value]])),
    pathParameters: event.pathParameters && { ...event.pathParameters, ...params },
    ...(query && {
      queryStringParameters: query,
      multiValueQueryStringParameters: Object.fromEntries(
        Object.entries(query).map(([name, value]) => [name, [value]]),
      ),
    }),
    ...(address && atAddress(address)),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(form && { body: new URLSearchParams(form).toString() }),
  };
}

const atAddress = ({ method, resource, subpath }: NonNullable<EventOptions['address']>) => ({
  httpMethod: method,
  resource,
  path: resource.replace('{subpath+}', subpath ?? ''),
  pathParameters: subpath === undefined ? null : { subpath },
});

export function lambdaContext(): Context {
  const notInUse = () => {
    throw new Error('Node.js handlers have not called this since Node.js 4.');
  };
  return {
    awsRequestId: crypto.randomUUID(),
    functionName: 'test',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:test',
    memoryLimitInMB: '1024',
    logGroupName: '/aws/lambda/test',
    logStreamName: 'test',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => 20_000,
    done: notInUse,
    fail: notInUse,
    succeed: notInUse,
  };
}
