// Sends one export request to a sink, with the credential of its connection, and says what its answer means by the
// specification of OTLP/HTTP: https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
import * as z from 'zod';
import type { ConnectionFetch } from '#lib/connection/authorized-fetch.ts';
import { createAuthorizedFetch } from '#lib/connection/authorized-fetch.ts';
import { createConnectionFinder } from '#lib/connection/find.ts';
import { declareInFull } from '#lib/connection/full-declaration.ts';
import { newTokenMemory } from '#lib/connection/token-memory.ts';
import { EgressError } from '#lib/egress/egress-error.ts';
import { parseEgressPolicy } from '#lib/egress/egress-policy.ts';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { optionalEnv } from '#lib/env.ts';
import type { TelemetrySink } from '#lib/environment/telemetry-sink.ts';
import { redacted } from '#lib/flow/engine/log-preview.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import { lazy } from '#lib/lazy.ts';
import { truncate } from '#lib/truncate.ts';

export type SendOutcome =
  | { readonly is: 'taken'; readonly rejectedSpans: number; readonly detail?: string }
  /** `afterSeconds` is what the sink asks for. */
  | { readonly is: 'again'; readonly reason: string; readonly afterSeconds?: number }
  | { readonly is: 'refused'; readonly reason: string; readonly detail?: string };

const timeoutMs = 15_000;
const limits = {
  requestBytesMax: 8 * 1024 ** 2,
  responseBytesMax: 64 * 1024,
  headersMs: timeoutMs,
  bodyMs: timeoutMs,
};

const guarded = lazy(() => createGuardedFetch(parseEgressPolicy(optionalEnv('EGRESS_ALLOW_PRIVATE'))));
const memory = newTokenMemory();

export async function sendSpans(
  sink: TelemetrySink,
  owner: WorkspaceScope,
  body: string,
): Promise<SendOutcome> {
  const url = new URL(sink.endpoint);
  try {
    const { fetch, redact } = await openFetch(sink, owner);
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'agent-flow' },
      body,
      redirect: 'manual',
      egress: [url.host],
      limits,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text().catch(() => '');
    return response.ok ? readPartialSuccess(text, redact) : toFailure(response, text, redact);
  } catch (error) {
    return toUnsent(error);
  }
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

const partialSuccess = z.object({
  partialSuccess: z
    .object({
      /** 64-bit integers are texts in OTLP/JSON; some receivers send numbers. */
      rejectedSpans: z.coerce.number().int().nonnegative().catch(0),
      errorMessage: z.string().catch(''),
    })
    .partial()
    .optional(),
});

/** An answer in another form than JSON has taken everything: only a partial success has to say so. */
function readPartialSuccess(text: string, redact: ConnectionFetch['redact']): SendOutcome {
  const parsed = partialSuccess.safeParse(parseJson(text));
  const { rejectedSpans = 0, errorMessage = '' } = (parsed.success && parsed.data.partialSuccess) || {};
  const detail = toDetail(errorMessage, redact);
  return { is: 'taken', rejectedSpans, ...(detail !== undefined && { detail }) };
}

/** The only statuses after which a request may be sent again. */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);

function toFailure(
  { status, headers }: Response,
  text: string,
  redact: ConnectionFetch['redact'],
): SendOutcome {
  const reason = String(status);
  if (retryable.has(status)) {
    const afterSeconds = readRetryAfter(headers.get('retry-after'));
    return { is: 'again', reason, ...(afterSeconds !== undefined && { afterSeconds }) };
  }
  const { message } = status400.safeParse(parseJson(text)).data ?? {};
  const detail = toDetail(message ?? '', redact);
  return { is: 'refused', reason, ...(detail !== undefined && { detail }) };
}

/** google.rpc.Status, which OTLP prescribes for errors. */
const status400 = z.object({ message: z.string() });

/** Seconds or an HTTP date (RFC 9110 §10.2.3). */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}

const detailCharsMax = 300;

/** The sink may quote what it was sent. */
function toDetail(text: string, redact: ConnectionFetch['redact']): string | undefined {
  const clean = redacted(redact(text))
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return clean === '' ? undefined : truncate(clean, detailCharsMax);
}

/** What another attempt does not change. */
const final: ReadonlySet<string> = new Set([
  'egress.url',
  'egress.scheme',
  'egress.credentials_in_url',
  'egress.private_address',
  'egress.request',
  'egress.header',
  'connection.host',
]);

/** Codes alone: messages may name what is in the network of the sink. */
function toUnsent(error: unknown): SendOutcome {
  const isKnown = error instanceof EgressError || error instanceof NodeError;
  if (isKnown && error.code !== 'egress.timeout')
    return { is: final.has(error.code) ? 'refused' : 'again', reason: error.code };
  const isTimeout = isKnown || (error instanceof Error && error.name === 'TimeoutError');
  return { is: 'again', reason: isTimeout ? 'timeout' : 'network' };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
