// Sends one export request to a sink, with the credential of its connection, and says what its answer means by the
// specification of OTLP/HTTP: https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
import * as z from 'zod';
import { EgressError } from '#lib/egress/egress-error.ts';
import type { TelemetrySink } from '#lib/environment/telemetry-sink.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import type { ExportRequest } from './otlp.ts';
import { postSpans, type SinkAnswer } from './post-spans.ts';

export type SendOutcome =
  | { readonly is: 'taken'; readonly rejectedSpans: number; readonly detail?: string }
  /** `afterSeconds` is what the sink asks for. */
  | { readonly is: 'again'; readonly reason: string; readonly afterSeconds?: number }
  | { readonly is: 'refused'; readonly reason: string; readonly detail?: string };

const timeoutMs = 15_000;

export async function sendSpans(
  sink: TelemetrySink,
  owner: WorkspaceScope,
  request: ExportRequest,
): Promise<SendOutcome> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await postSpans(sink, owner, request, { signal, timeoutMs });
    return isTaken(answer) ? toTaken(answer) : toFailure(answer);
  } catch (error) {
    return toUnsent(error);
  }
}

export const isTaken = ({ status }: SinkAnswer): boolean => status >= 200 && status < 300;

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

/** An answer in another form has taken everything: only a partial success has to say so. */
export function readPartialSuccess({ message }: SinkAnswer): {
  readonly rejectedSpans: number;
  readonly errorMessage: string;
} {
  const parsed = partialSuccess.safeParse(message);
  const { rejectedSpans = 0, errorMessage = '' } = (parsed.success && parsed.data.partialSuccess) || {};
  return { rejectedSpans, errorMessage };
}

function toTaken(answer: SinkAnswer): SendOutcome {
  const { rejectedSpans, errorMessage } = readPartialSuccess(answer);
  return { is: 'taken', rejectedSpans, ...toDetail(answer.quote(errorMessage)) };
}

/** The only statuses after which a request may be sent again. */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);

function toFailure(answer: SinkAnswer): SendOutcome {
  const { status, headers, quote } = answer;
  const reason = String(status);
  if (retryable.has(status)) {
    const afterSeconds = readRetryAfter(headers.get('retry-after'));
    return { is: 'again', reason, ...(afterSeconds !== undefined && { afterSeconds }) };
  }
  return { is: 'refused', reason, ...toDetail(quote(readErrorMessage(answer) ?? '')) };
}

const toDetail = (detail: string) => (detail === '' ? {} : { detail });

/** What a sink says in a google.rpc.Status, which OTLP prescribes for errors. */
export const readErrorMessage = ({ message }: SinkAnswer): string | undefined =>
  errorStatus.safeParse(message).data?.message;

const errorStatus = z.object({ message: z.string() });

/** Seconds or an HTTP date (RFC 9110 §10.2.3). */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
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
