// The headers, besides credentials, that change what a route does: what they may hold, how they are documented, and the errors they can cause.
import * as z from 'zod';
import { type ErrorCode, ServiceError } from '#lib/errors.ts';

interface Described {
  readonly schema: z.ZodType;
  readonly errors: readonly ErrorCode[];
}

export const requestHeaders = {
  'If-None-Match': {
    schema: z.string().optional().meta({
      description: 'ETags that the caller has, or `*`; 304 without a body when one of them is still right.',
    }),
    errors: [],
  },
  'If-Match': {
    schema: z
      .string()
      .regex(/^(\*|(W\/)?"[!#-~]*")$/, 'must be one ETag as it was answered, in quotes such as "3", or *')
      .optional()
      .meta({
        description:
          'The ETag that the row must still have, such as `"3"`, or `*` for any; 412 when it has changed.',
      }),
    errors: ['precondition_failed', 'validation_failed'],
  },
  'Idempotency-Key': {
    schema: z
      .string()
      .regex(/^[!-~]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
      .optional()
      .meta({
        description:
          '1 to 255 visible ASCII characters that name this request. Sent again within 24 h with the same body it gives the same answer and does nothing; with another body it is 422.',
      }),
    errors: ['idempotency_in_flight', 'idempotency_key_reused', 'validation_failed'],
  },
  'Last-Event-ID': {
    schema: z.string().optional().meta({
      description: 'The `id` of the last event that the client has seen, as browsers send it by themselves.',
    }),
    errors: [],
  },
} as const satisfies Record<string, Described>;

export type RequestHeader = keyof typeof requestHeaders;

/** Undefined where it was not sent; header names of a request are in lower case. */
export function readHeader(
  name: 'If-Match' | 'Idempotency-Key',
  headers: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const parsed = requestHeaders[name].schema.safeParse(headers[name.toLowerCase()]?.trim());
  if (parsed.success) return parsed.data;
  const pointer = `/headers/${name.toLowerCase()}`;
  const errors = parsed.error.issues.map(({ message }) => ({ pointer, detail: message }));
  throw new ServiceError('validation_failed', { errors });
}
