// The port of the `http` node: sends one request through the guarded fetch, parses and bounds the response,
// and turns every failure into a NodeError.

import type { EgressLimits } from '#lib/egress/guarded-fetch.ts';
import { hostName, networkFailure } from '#lib/egress/network-failure.ts';
import { redactValue } from '#lib/egress/redact.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import { limits as flowLimits } from '#lib/flow/format/limits.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { HttpAnswer, HttpRequest } from '#lib/flow/ports/http.ts';
import { parseExactly } from '#lib/json/big-integers.ts';
import { isDeeperThan } from '#lib/json/depth.ts';
import type { Json } from '#lib/json/json.ts';
import type { ConnectionFetch } from './authorized-fetch.ts';
import type { GetConnectionFetch } from './connection-fetch.ts';

/**
 * The node's own time-out arrives as the call's signal and may exceed the defaults of the fetch. These only
 * stop requests that nothing else ends.
 */
const limits: Partial<EgressLimits> = {
  requestBytesMax: flowLimits.requestBytes,
  headersMs: 900_000,
  bodyMs: 900_000,
};

export function createHttpPort(getFetch: GetConnectionFetch): Ports['http'] {
  return async (request, call) => {
    try {
      const { fetch, redact } = await getFetch(request.connection);
      const { method, url, headers, egress } = request;
      const body = typeof request.body === 'object' ? Buffer.from(request.body) : (request.body ?? null);
      const { responseBytesMax } = request;
      const bounds = { ...limits, ...(responseBytesMax !== undefined && { responseBytesMax }) };
      const response = await fetch(url, {
        method,
        headers,
        body,
        egress,
        limits: bounds,
        signal: call.signal,
      });
      return await toHttpAnswer(request, response, redact);
    } catch (error) {
      const context = { host: hostName(request.url), signal: call.signal, noAnswer: 'http.network' };
      throw networkFailure(error, context) ?? error;
    }
  };
}

async function toHttpAnswer(
  request: HttpRequest,
  response: Response,
  redact: ConnectionFetch['redact'],
): Promise<HttpAnswer> {
  const { body, kept } = await readBody(request, response, redact);
  // A session cookie is a credential: a flow has it only if it asks for it.
  const headers = [...response.headers]
    .filter(([name]) => name !== 'set-cookie')
    .map(([name, value]) => [name, redact(value)]);
  const cookies = request.keepsCookies ? response.headers.getSetCookie().map(redact) : [];
  return {
    status: response.status,
    headers: { ...Object.fromEntries(headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) },
    body,
    ...(kept > 0 && { kept }),
  };
}

async function readBody(
  { response: form, url }: HttpRequest,
  response: Response,
  redact: ConnectionFetch['redact'],
): Promise<Body> {
  if (form === 'base64' && response.ok) return { body: await readBytes(response, redact), kept: 0 };
  const text = await response.text();
  return form === 'text' ? { body: redact(text), kept: 0 } : parseBody(text, url, response, redact);
}

interface Body {
  readonly body: Json;
  /** The number of integers that were kept as text. */
  readonly kept: number;
}

/** As Latin-1, each byte is one character, and those of a credential are found. */
async function readBytes(response: Response, redact: ConnectionFetch['redact']): Promise<Json> {
  const received = Buffer.from(await response.arrayBuffer());
  const bytes = Buffer.from(redact(received.toString('latin1')), 'latin1');
  const media_type = redact(response.headers.get('content-type') ?? 'application/octet-stream');
  return { base64: bytes.toString('base64'), media_type, size: bytes.length };
}

/**
 * An empty body is null. Gateways send errors as HTML whatever was requested, so only a success must be JSON.
 */
function parseBody(
  text: string,
  url: string,
  { ok, headers }: Response,
  redact: ConnectionFetch['redact'],
): Body {
  if (text.trim() === '') return { body: null, kept: 0 };
  const parsed = parseJson(text);
  if (!parsed) {
    if (!ok) return { body: redact(text), kept: 0 };
    const type = redact(headers.get('content-type') ?? 'no content type');
    throw new NodeError('http.bad_json', `The answer of ${hostName(url)} is not JSON (${type}).`);
  }
  const { value, kept } = parsed;
  if (!isDeeperThan(value, flowLimits.valueDepth)) return { body: redactValue(value, redact), kept };
  throw new NodeError(
    'http.bad_json',
    `The answer of ${hostName(url)} is nested deeper than ${flowLimits.valueDepth} levels.`,
  );
}

/** The error of the parser quotes the text, so it is dropped. */
function parseJson(text: string): { readonly value: Json; readonly kept: number } | undefined {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}
