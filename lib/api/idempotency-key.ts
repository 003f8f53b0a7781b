// The Idempotency-Key of a request. What it does is in lib/registry/idempotency.
import { ServiceError } from '#lib/errors.ts';

export function idempotencyKey(headers: Readonly<Record<string, string | undefined>>): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const detail = 'must be 1 to 255 visible ASCII characters';
  throw new ServiceError('validation_failed', { errors: [{ pointer: '/headers/idempotency-key', detail }] });
}
