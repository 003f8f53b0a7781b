// The gate and the transport of the connector: an MCP server over Streamable HTTP that keeps no sessions, for
// revision 2026-07-28 and for those with `initialize`, up to 2025-11-25. What the server offers is in `server.ts`; the
// conformance suite calls its own tools through the same gate.
import {
  type CreateMcpHandlerOptions,
  createMcpHandler,
  type McpRequestContext,
  type McpServer,
  type Server,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { requireScope } from '#lib/access/caller.ts';
import { resourceUrl } from '#lib/access/resource.ts';
import { optionalEnv, requireEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Answer } from '#lib/http/answer.ts';
import { beatMs, withHeartbeat, within } from '#lib/http/heartbeat.ts';
import type { Request } from '#lib/http/request.ts';
import { truncate } from '#lib/truncate.ts';
import { type JsonRpcId, parseMessage } from './json-rpc.ts';
import { findScope } from './scopes.ts';

/** Makes the server of one request. */
type BuildServer = (request: Request, context: McpRequestContext) => McpServer | Server;

/** Without subscriptions unless they are asked for: a stream that never ends would occupy its function until the time-out. */
type ConnectorOptions = Pick<CreateMcpHandlerOptions, 'bus' | 'maxSubscriptions'>;

export const createConnector =
  (buildServer: BuildServer, options: ConnectorOptions = {}) =>
  async (request: Request): Promise<Answer<never>> => {
    requireOwnOrigin(request.headers.origin);
    const message = parseMessage(request.rawBody);
    if ('refusal' in message) return { text: message.refusal, contentType: 'application/json', status: 400 };
    requireMessageScope(request, message.value);
    const { fetch } = createMcpHandler((context) => buildServer(request, context), {
      maxSubscriptions: 0,
      ...options,
      // The heartbeat below also checks that the credential is still valid.
      keepAliveMs: 0,
      onerror: ({ name, message: reason }) => request.log.info('mcp', { reason: `${name}: ${reason}` }),
    });
    const response = fetch(toWebRequest(request), { parsedBody: message.value });
    return await toAnswer(response, request, message.id);
  };

/** Against DNS rebinding and pages of other sites. Programs other than browsers send no `Origin`. */
function requireOwnOrigin(origin: string | undefined): void {
  const allowed = optionalEnv('BROWSER_ORIGINS')?.split(',') ?? [];
  if (origin === undefined || origin === new URL(requireEnv('GATEWAY_URL')).origin) return;
  if (allowed.includes(origin)) return;
  throw new ServiceError('cross_site_request', {
    detail:
      'Pages of this origin may not call the service. The setting browserOrigins of the tenant lists those that may.',
  });
}

/** Before anything of the answer is sent, so that the client can get another token and send the message again. */
function requireMessageScope({ caller }: Request, message: object): void {
  const params: unknown = Reflect.get(message, 'params');
  const name: unknown =
    typeof params === 'object' && params !== null ? Reflect.get(params, 'name') : undefined;
  const scope = findScope(Reflect.get(message, 'method'), name);
  if (scope) requireScope(caller, scope);
}

const credentialHeaders = new Set(['authorization', 'cookie', 'x-api-key']);

/** Without the credential, so that no tool can pass it on. The body is already parsed, whatever its type of JSON. */
function toWebRequest({ headers, signal }: Request): globalThis.Request {
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || credentialHeaders.has(name) ? [] : [[name, value]],
  );
  const sent = { ...Object.fromEntries(kept), 'content-type': 'application/json' };
  return new globalThis.Request(resourceUrl('connector'), { method: 'POST', headers: sent, signal });
}

const eventStream = 'text/event-stream';

/** A response that takes longer than the interval of heartbeats becomes a stream, whatever it will be. */
async function toAnswer(
  response: Promise<Response>,
  { isAdmitted }: Request,
  id: JsonRpcId,
): Promise<Answer<never>> {
  const early = await within(beatMs, response);
  if (early && !isStream(early)) return await toText(early);
  const events = early ? readText(early) : readEvents(response);
  const refusal = toEvent(JSON.stringify(buildRevoked(id)));
  return {
    stream: withHeartbeat(events, { beat, isAdmitted, refusal }),
    contentType: eventStream,
    // Proxies that buffer would hold progress back.
    headers: { 'x-accel-buffering': 'no' },
  };
}

const beat = ': keep-alive\n\n';
const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith(eventStream) === true;

async function toText(response: Response): Promise<Answer<never>> {
  const contentType = response.headers.get('content-type') ?? 'application/json';
  const text = await response.text();
  const { status } = response;
  return { text: status >= 400 ? shortenError(text) : text, contentType, status };
}

/** Errors of the SDK repeat names and headers of the request, however long they are. */
const errorLengthMax = 4_096;
const jsonRpcError = z.object({
  id: z.union([z.string(), z.number(), z.null()]),
  error: z.object({ code: z.number(), message: z.string() }),
});

function shortenError(text: string): string {
  if (text.length <= errorLengthMax) return text;
  const read = jsonRpcError.parse(JSON.parse(text));
  const { code, message } = read.error;
  return JSON.stringify({ jsonrpc: '2.0', id: read.id, error: { code, message: truncate(message, 500) } });
}

async function* readText({ body }: Response): AsyncGenerator<string> {
  if (body) yield* body.pipeThrough(new TextDecoderStream());
}

async function* readEvents(response: Promise<Response>): AsyncGenerator<string> {
  yield beat;
  const late = await response;
  if (isStream(late)) yield* readText(late);
  else yield toEvent(await late.text());
}

const toEvent = (json: string): string => `event: message\ndata: ${json}\n\n`;

const buildRevoked = (id: JsonRpcId) => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32000, message: 'The API key or access token was revoked or has expired.' },
});
