// One export request to a sink, in its encoding and with the credential of its connection, and the answer as it came.
import { type ConnectionFetch, createAuthorizedFetch } from '#lib/connection/authorized-fetch.ts';
import { createConnectionFinder } from '#lib/connection/find.ts';
import { declareInFull } from '#lib/connection/full-declaration.ts';
import { newTokenMemory } from '#lib/connection/token-memory.ts';
import { parseEgressPolicy } from '#lib/egress/egress-policy.ts';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { optionalEnv } from '#lib/env.ts';
import type { TelemetrySink } from '#lib/environment/telemetry-sink.ts';
import { redacted } from '#lib/flow/engine/log-preview.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import { tryParse } from '#lib/json/try-parse.ts';
import { lazy } from '#lib/lazy.ts';
import { truncate } from '#lib/truncate.ts';
import type { ExportRequest } from './otlp.ts';

export interface SinkAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body, of 64 KiB at most. Empty if it did not arrive. */
  readonly text: string;
  /** The body in the form of JSON; undefined if it is in no encoding that OTLP has. */
  readonly message: unknown;
  /** The first characters of a text of the sink, without what it repeats of the credential, in one line. */
  readonly quote: (text: string) => string;
}

const limits = (timeoutMs: number) => ({
  requestBytesMax: 8 * 1024 ** 2,
  responseBytesMax: 64 * 1024,
  headersMs: timeoutMs,
  bodyMs: timeoutMs,
});

const guarded = lazy(() => createGuardedFetch(parseEgressPolicy(optionalEnv('EGRESS_ALLOW_PRIVATE'))));
const memory = newTokenMemory();

/** Throws `EgressError`, `NodeError` (codes `connection.*`), and what `fetch` throws. Redirects are answers. */
export async function postSpans(
  sink: TelemetrySink,
  owner: WorkspaceScope,
  request: ExportRequest,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<SinkAnswer> {
  const url = new URL(sink.endpoint);
  const { fetch, redact } = await openFetch(sink, owner);
  const { contentType, body, decode } = await encode(sink, request);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': contentType, 'user-agent': 'agent-flow' },
    body,
    redirect: 'manual',
    egress: [url.host],
    limits: limits(timeoutMs),
    signal,
  });
  const { status, headers } = response;
  const bytes = await response.bytes().catch(() => new Uint8Array());
  return {
    status,
    headers,
    text: new TextDecoder().decode(bytes),
    message: decode(bytes, response),
    quote: (text) => truncate(toLine(redacted(redact(text))), quoteCharsMax),
  };
}

async function openFetch(
  { connection: name }: TelemetrySink,
  { orgid, workspaceid }: WorkspaceScope,
): Promise<ConnectionFetch> {
  const fetch = guarded();
  if (name === undefined) return { fetch, redact: (text) => text };
  const find = createConnectionFinder({ orgid, workspaceid, user: '' });
  // Of the declaration only the scope matters to whoever finds the connection.
  const found = await find(name, { type: 'http_bearer', scope: 'organization', hosts: [] });
  if (!found) throw new NodeError('connection.missing', `The workspace has no connection "${name}".`);
  const declared = { [name]: declareInFull(found.value) };
  return await createAuthorizedFetch({ fetch, declared, find: async () => found, memory }, name);
}

interface Encoded {
  readonly contentType: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly decode: (bytes: Uint8Array, response: Response) => unknown;
}

const jsonType = 'application/json';
const protobufType = 'application/x-protobuf';

/** An answer has the encoding of the request, but proxies answer with errors of their own. */
async function encode({ encoding }: TelemetrySink, request: ExportRequest): Promise<Encoded> {
  const decodeJson = (bytes: Uint8Array) => tryParse(new TextDecoder().decode(bytes));
  if (encoding !== 'protobuf')
    return { contentType: jsonType, body: JSON.stringify(request), decode: decodeJson };
  const { decodeAnswer, encodeExportRequest } = await import('./protobuf.ts');
  return {
    contentType: protobufType,
    body: encodeExportRequest(request),
    decode: (bytes, { headers, ok }) =>
      headers.get('content-type')?.startsWith(protobufType) ? decodeAnswer(bytes, ok) : decodeJson(bytes),
  };
}

const quoteCharsMax = 300;

const toLine = (text: string): string => text.replace(/[\p{Cc}\s\uFFFD]+/gu, ' ').trim();
