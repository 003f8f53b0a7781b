// The token in the form of the consent page: it is good for one request and one session, and nobody else knows it.
import { createHash, timingSafeEqual } from 'node:crypto';

interface FormOwner {
  readonly uid: string;
  readonly sessionToken: string;
}

export const makeFormToken = ({ uid, sessionToken }: FormOwner): string =>
  createHash('sha256').update(`${sessionToken}.${uid}`).digest('base64url');

export function isFormToken(given: string, owner: FormOwner): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(makeFormToken(owner))];
  return left.length === right.length && timingSafeEqual(left, right);
}
