// The `http` node's way out: one request through the guarded fetch, the answer parsed and bounded, every failure a NodeError.

import type { EgressLimits } from '#lib/egress/guarded-fetch.ts';
import { hostOf, networkFailure } from '#lib/egress/network-failure.ts';
import { valueWithoutSecrets } from '#lib/egress/redact.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import { limits as flowLimits } from '#lib/flow/format/limits.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { HttpAnswer, HttpRequest } from '#lib/flow/ports/http.ts';
import { isDeeperThan } from '#lib/json/depth.ts';
import type { Json } from '#lib/json/json.ts';
import type { Connect, Connected } from './connection-fetch.ts';

/** The node's own timeout comes with the call's signal and may be longer than the fetch's defaults: these only stop what has no other end. */
const limits: Partial<EgressLimits> = { headersMs: 900_000, bodyMs: 900_000 };

export function createHttpPort(connect: Connect): Ports['http'] {
  return async (request, call) => {
    try {
      const { fetch, hide } = await connect(request.connection);
      const { method, url, headers, egress } = request;
      const body = request.body ?? null;
      const response = await fetch(url, { method, headers, body, egress, limits, signal: call.signal });
      return await answerOf(request, response, hide);
    } catch (error) {
      const way = { host: hostOf(request.url), signal: call.signal, noAnswer: 'http.network' };
      throw networkFailure(error, way) ?? error;
    }
  };
}

async function answerOf(
  request: HttpRequest,
  response: Response,
  hide: Connected['hide'],
): Promise<HttpAnswer> {
  const text = await response.text();
  const body = request.response === 'text' ? hide(text) : bodyOf(text, request.url, response, hide);
  // A host's session is its credential, and a flow has nowhere safe to keep one.
  const headers = [...response.headers]
    .filter(([name]) => name !== 'set-cookie')
    .map(([name, value]) => [name, hide(value)]);
  return { status: response.status, headers: Object.fromEntries(headers), body };
}

/** No content is null. Gateways answer errors as HTML whatever was asked for, so only a success has to be JSON. */
function bodyOf(text: string, url: string, { ok, headers }: Response, hide: Connected['hide']): Json {
  if (text.trim() === '') return null;
  const value = parsed(text);
  if (value === undefined) {
    if (!ok) return hide(text);
    const type = hide(headers.get('content-type') ?? 'no content type');
    throw new NodeError('http.bad_json', `The answer of ${hostOf(url)} is not JSON (${type}).`);
  }
  if (!isDeeperThan(value, flowLimits.valueDepth)) return valueWithoutSecrets(value, hide);
  throw new NodeError(
    'http.bad_json',
    `The answer of ${hostOf(url)} is nested deeper than ${flowLimits.valueDepth} levels.`,
  );
}

/** What a parser says about text quotes it, so that is kept nowhere. */
function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
