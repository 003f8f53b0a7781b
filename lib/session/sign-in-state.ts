// The `state` of an authorization request says where the person goes afterwards, and is a MAC over that under the cookie
// of the browser that began. So only this browser can end the sign-in, and nothing is stored in between; the nonce
// and the code verifier are derived in the same way.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { orgid } from '#lib/ids.ts';

/** People sign in, and look for their second factor, in this time. */
export const signInSeconds = 10 * 60;

const content = z.strictObject({
  return_to: z.string(),
  orgid: orgid.optional(),
  /** Seconds since 1970. */
  until: z.number(),
  /** Distinguishes the sign-ins of one browser. */
  id: z.string(),
});
export type SignInContent = Omit<z.infer<typeof content>, 'until' | 'id'>;

export interface SignInState {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** 43 characters: 256 bits, as the cookie, the nonce and the verifier have. */
export const newToken = (): string => randomBytes(32).toString('base64url');

const mac = (browser: string, purpose: 'state' | 'nonce' | 'verifier', text: string): string =>
  createHmac('sha256', browser).update(`${purpose}.${text}`).digest('base64url');

const derive = (browser: string, state: string): SignInState => ({
  state,
  nonce: mac(browser, 'nonce', state),
  verifier: mac(browser, 'verifier', state),
});

export function makeState(wanted: SignInContent, browser: string, nowMs: number): SignInState {
  const until = Math.floor(nowMs / 1_000) + signInSeconds;
  const text = Buffer.from(JSON.stringify({ ...wanted, until, id: newToken() })).toString('base64url');
  return derive(browser, `${text}.${mac(browser, 'state', text)}`);
}

/** Undefined for a state that was not made for this browser, or too long ago. */
export function readState(
  state: string,
  browser: string,
  nowMs: number,
): (SignInState & { readonly content: SignInContent }) | undefined {
  const [text = '', given = ''] = state.split('.');
  if (!isEqual(given, mac(browser, 'state', text))) return undefined;
  const { until, id: _, ...wanted } = content.parse(decode(text));
  return until * 1_000 < nowMs ? undefined : { ...derive(browser, state), content: wanted };
}

/** Whoever made the state: only for a link that the person could have been given as well. Throws if it is none. */
export function readUnverified(state: string): SignInContent {
  const { until: _until, id: _id, ...wanted } = content.parse(decode(state.split('.')[0] ?? ''));
  return wanted;
}

const decode = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64url').toString());

function isEqual(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
