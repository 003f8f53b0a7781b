// The `http` node's way out: one request through the guarded fetch, the answer parsed and bounded, every failure a NodeError.
import { limits as flowLimits } from '#lib/flow/limits.ts';
import { NodeError } from '#lib/flow/node-error.ts';
import type { HttpAnswer, HttpRequest, NodeCall, Ports } from '#lib/flow/ports.ts';
import type { Json } from '#lib/json.ts';
import { isDeeperThan } from '#lib/json-depth.ts';
import { EgressError } from './egress-error.ts';
import type { EgressLimits, GuardedFetch } from './guarded-fetch.ts';

/** The node's own timeout comes with the call's signal and may be longer than the fetch's defaults: these only stop what has no other end. */
const limits: Partial<EgressLimits> = { headersMs: 900_000, bodyMs: 900_000 };

export function createHttpPort(fetch: GuardedFetch): Ports['http'] {
  return async (request, call) => {
    if (request.connection !== undefined) {
      throw new NodeError('http.connection', `The connection "${request.connection}" is not configured.`);
    }
    try {
      const { method, url, headers, egress } = request;
      const body = request.body ?? null;
      return await answerOf(
        request,
        await fetch(url, { method, headers, body, egress, limits, signal: call.signal }),
      );
    } catch (error) {
      throw httpFailure(error, request, call);
    }
  };
}

async function answerOf(request: HttpRequest, response: Response): Promise<HttpAnswer> {
  const text = await response.text();
  const body = request.response === 'text' ? text : parsedBody(text, request.url, response);
  // A host's session is its credential, and a flow has nowhere safe to keep one.
  const headers = [...response.headers].filter(([name]) => name !== 'set-cookie');
  return { status: response.status, headers: Object.fromEntries(headers), body };
}

/** No content is null. Gateways answer errors as HTML whatever was asked for, so only a success has to be JSON. */
function parsedBody(text: string, url: string, response: Response): Json {
  if (text.trim() === '') return null;
  try {
    const value: Json = JSON.parse(text);
    if (!isDeeperThan(value, flowLimits.valueDepth)) return value;
  } catch (cause) {
    if (!response.ok) return text;
    const type = response.headers.get('content-type') ?? 'no content type';
    throw new NodeError('http.bad_json', `The answer of ${hostOf(url)} is not JSON (${type}).`, { cause });
  }
  throw new NodeError(
    'http.bad_json',
    `The answer of ${hostOf(url)} is nested deeper than ${flowLimits.valueDepth} levels.`,
  );
}

function httpFailure(error: unknown, request: HttpRequest, call: NodeCall): unknown {
  const host = hostOf(request.url);
  if (call.signal.aborted)
    return new NodeError('timeout', `${host} did not answer in time.`, { cause: error });
  if (error instanceof EgressError) {
    const code = error.code === 'egress.timeout' ? 'timeout' : error.code;
    return new NodeError(code, error.message, { cause: error });
  }
  // What `fetch` makes of a failed connection: a TypeError whose cause says more.
  if (error instanceof TypeError && error.cause instanceof Error) {
    return new NodeError('http.network', `No answer from ${host}: ${reasonOf(error.cause)}.`, {
      cause: error,
    });
  }
  return error;
}

const reasonOf = (cause: Error) => ('code' in cause ? String(cause.code) : cause.message);

/** Paths and queries may hold what must not be shown. */
const hostOf = (url: string) => URL.parse(url)?.host ?? 'the host';
