// Distinguishes requests that come under the same Idempotency-Key. JSON objects have no order, so the order
// of their members makes no difference.
import { createHash } from 'node:crypto';

export const computeFingerprint = (request: unknown): string =>
  createHash('sha256').update(JSON.stringify(request, inOrder)).digest('base64url');

const inOrder = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;
