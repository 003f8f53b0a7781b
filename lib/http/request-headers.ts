// The request headers, besides credentials, that change what a route does: their schemas with descriptions,
// and the errors that they can cause.
import * as z from 'zod';
import type { HeaderValues } from '#lib/access/credential.ts';
import { type ErrorCode, ServiceError } from '#lib/errors.ts';
import { lazy } from '#lib/lazy.ts';

interface HeaderRow {
  /**
   * The name of the header, where the row has another one: one header may mean different things to different
   * routes.
   */
  readonly header?: string;
  /** Built when a request needs it. */
  readonly schema: () => z.ZodType;
  readonly errors: readonly ErrorCode[];
  /** A list: several headers of this name mean one with all their values (RFC 9110 §5.3). */
  readonly isList?: boolean;
}

const text = (description: string) => lazy(() => z.string().optional().meta({ description }));
const visible = (description: string) =>
  lazy(() =>
    z
      .string()
      .regex(/^[!-~]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
      .optional()
      .meta({ description }),
  );

export const requestHeaders = {
  'A2A-Extensions': {
    schema: text(
      'The URIs of the extensions that the call activates, separated by commas. Those that the card of the agent does not declare are ignored.',
    ),
    errors: [],
    isList: true,
  },
  'If-None-Match': {
    schema: text('ETags that the caller has, or `*`; 304 without a body when one of them is current.'),
    errors: [],
    isList: true,
  },
  'If-Modified-Since': {
    schema: text(
      'An HTTP date; 304 without a body when there is no later version. Ignored beside If-None-Match.',
    ),
    errors: [],
  },
  'If-Match': {
    schema: lazy(() =>
      z
        .string()
        .regex(/^(\*|(W\/)?"[!#-~]*")$/, 'must be one ETag as it was answered, in quotes such as "3", or *')
        .optional()
        .meta({
          description:
            'The ETag of the version to change, such as `"3"`, or `*` for any; 412 when there is another version.',
        }),
    ),
    errors: ['precondition_failed', 'validation_failed'],
  },
  'Idempotency-Key': {
    schema: visible(
      '1 to 255 visible ASCII characters that name this request. Sent again within 24 h with the same body it gives the same answer and does nothing; with another body it is 422.',
    ),
    errors: ['idempotency_in_flight', 'idempotency_key_reused', 'validation_failed'],
  },
  eventName: {
    header: 'Idempotency-Key',
    schema: visible(
      '1 to 255 visible ASCII characters that name this event. Events of a workspace and flow with one name have one `triggerId` and one effect, that of the first; another event under the name of a run is 422. Ignored where the flow wants signatures.',
    ),
    errors: ['idempotency_key_reused', 'validation_failed'],
  },
  'Webhook-Id': {
    schema: visible(
      "The sender's name for this event (Standard Webhooks), taken where there is no Idempotency-Key, and always where the flow wants signatures.",
    ),
    errors: ['idempotency_key_reused', 'validation_failed'],
  },
  'Webhook-Timestamp': {
    schema: text('The time of signing in seconds since 1970 (Standard Webhooks), at most five minutes off.'),
    errors: ['signature_invalid'],
  },
  'Webhook-Signature': {
    schema: text(
      'Signatures (Standard Webhooks) such as `v1,{base64}`, separated by spaces. Required where the flow has a signing secret.',
    ),
    errors: ['signature_invalid'],
  },
  traceparent: {
    schema: text('The trace that the run joins (W3C Trace Context).'),
    errors: [],
    isList: true,
  },
  tracestate: {
    schema: text('What vendors say of that trace.'),
    errors: [],
    isList: true,
  },
  'X-A2A-Notification-Token': {
    schema: text('The `token` of the push notification configuration (A2A v1.0.1 §4.3.3).'),
    errors: [],
  },
  'Last-Event-ID': {
    schema: text('The `id` of the last event that the client has seen, which browsers send by themselves.'),
    errors: ['validation_failed'],
  },
} as const satisfies Record<string, HeaderRow>;

export type RequestHeader = keyof typeof requestHeaders;

/** The name on the wire. */
export function getHeaderName(row: RequestHeader): string {
  const described: HeaderRow = requestHeaders[row];
  return described.header ?? row;
}

/**
 * Refuses a header with one value that was sent several times, since it is not known which value was meant.
 */
export function requireSentOnce(rows: readonly RequestHeader[], sent: HeaderValues): void {
  const errors = rows.flatMap((row) => {
    const { isList = false }: HeaderRow = requestHeaders[row];
    const name = getHeaderName(row).toLowerCase();
    const times = sent[name]?.length ?? 0;
    return times > 1 && !isList
      ? [{ pointer: `/headers/${name}`, detail: `must be sent once, not ${times} times` }]
      : [];
  });
  if (errors.length > 0) throw new ServiceError('validation_failed', { errors });
}

/** Undefined for a header that was not sent. The names of `headers` are in lower case. */
export function readHeader(
  row: Exclude<RequestHeader, 'If-None-Match' | 'A2A-Extensions'>,
  headers: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const name = getHeaderName(row).toLowerCase();
  const parsed = requestHeaders[row].schema().safeParse(headers[name]?.trim());
  if (parsed.success) return parsed.data;
  const pointer = `/headers/${name}`;
  const errors = parsed.error.issues.map(({ message }) => ({ pointer, detail: message }));
  throw new ServiceError('validation_failed', { errors });
}
