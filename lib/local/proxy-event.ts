// Builds the event of a Lambda proxy integration of a REST API (payload version 1.0) from an HTTP request.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { toCallerIdentity } from '#lib/http/caller-identity.ts';
import { accountId } from './account.ts';
import type { Api } from './api.ts';
import type { Match } from './match.ts';

/** The ids and the time of a request, which responses of the gateway itself contain too. */
export type RequestIdentity = {
  readonly requestId: string;
  readonly extendedRequestId: string;
  readonly time: Date;
};

export function proxyEvent(
  request: IncomingMessage,
  body: Buffer,
  { method, pathParameters }: Match,
  api: Api,
  identity: RequestIdentity,
) {
  const [path = '/', query = ''] = splitUrl(request.url ?? '/');
  const headers = multiValueHeaders(request, identity.time);
  const parameters = multiValueQuery(query);
  const isBase64Encoded = body.length > 0 && isBinary(api, request.headers['content-type']);
  return {
    resource: method.path,
    path,
    httpMethod: request.method ?? 'GET',
    headers: lastValues(headers),
    multiValueHeaders: headers,
    queryStringParameters: parameters && lastValues(parameters),
    multiValueQueryStringParameters: parameters,
    pathParameters,
    stageVariables: null,
    requestContext: requestContext(request, path, method, api, identity),
    body: body.length === 0 ? null : body.toString(isBase64Encoded ? 'base64' : 'utf8'),
    isBase64Encoded,
  };
}

/** Whether the API declares a media type as binary, by `*\/*`, `image/*` or its exact name. */
export function isBinary(api: Api, contentType = 'application/json'): boolean {
  const [type = ''] = contentType.toLowerCase().split(/[;,]/);
  const wanted = type.trim();
  return api.binaryMediaTypes.some((binary) => {
    const pattern = binary.toLowerCase();
    return (
      pattern === '*/*' ||
      pattern === wanted ||
      (pattern.endsWith('/*') && wanted.startsWith(pattern.slice(0, -1)))
    );
  });
}

function requestContext(
  request: IncomingMessage,
  path: string,
  method: Match['method'],
  api: Api,
  { requestId, extendedRequestId, time }: RequestIdentity,
) {
  const domainName = request.headers.host ?? 'localhost';
  return {
    accountId,
    apiId: api.id,
    resourceId: method.resourceId,
    resourcePath: method.path,
    httpMethod: request.method ?? 'GET',
    path,
    stage: api.stage,
    protocol: `HTTP/${request.httpVersion}`,
    domainName,
    domainPrefix: domainName.split(/[.:]/)[0] ?? '',
    requestId,
    extendedRequestId,
    requestTime: requestTime(time),
    requestTimeEpoch: time.getTime(),
    deploymentId: 'local',
    identity: toCallerIdentity(sourceIp(request), request.headers['user-agent'] ?? null),
  };
}

const sourceIp = (request: IncomingMessage) => request.socket.remoteAddress ?? '127.0.0.1';

/** The headers by name, compared without case and spelt as sent, with those that the gateway adds. */
function multiValueHeaders(request: IncomingMessage, time: Date): Record<string, string[]> {
  const grouped = new Map<string, { name: string; values: string[] }>();
  const add = (name: string, value: string) => {
    const group = grouped.get(name.toLowerCase()) ?? { name, values: [] };
    group.values.push(value);
    grouped.set(name.toLowerCase(), group);
  };
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2)
    add(request.rawHeaders[index] ?? '', request.rawHeaders[index + 1] ?? '');
  add('X-Forwarded-For', sourceIp(request));
  add('X-Forwarded-Port', String(request.socket.localPort ?? ''));
  add('X-Forwarded-Proto', 'http');
  add('X-Amzn-Trace-Id', traceId(time));
  return Object.fromEntries([...grouped.values()].map(({ name, values }) => [name, values]));
}

/** In the format of X-Ray: version, seconds since the epoch, 96 random bits. */
function traceId(time: Date): string {
  const seconds = Math.floor(time.getTime() / 1000).toString(16);
  return `Root=1-${seconds}-${randomBytes(12).toString('hex')}`;
}

/** Decoded, with `+` as a space; null if there are no parameters. */
function multiValueQuery(query: string): Record<string, string[]> | null {
  const grouped = Map.groupBy(new URLSearchParams(query), ([name]) => name);
  if (grouped.size === 0) return null;
  return Object.fromEntries([...grouped].map(([name, pairs]) => [name, pairs.map(([, value]) => value)]));
}

function lastValues(values: Record<string, string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, list]) => [name, list.at(-1) ?? '']));
}

/** Returns the path, still encoded, and the query. */
export function splitUrl(url: string): [string, string] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** Such as `21/Nov/2026:03:00:00 +0000`. */
function requestTime(time: Date): string {
  const [, day, month, year, clock] = time.toUTCString().split(' ');
  return `${day}/${month}/${year}:${clock} +0000`;
}
