// People who sign in as a browser does: with cookies, through the pages of the local identity provider.
import type { Member } from '#lib/access/member-items.ts';
import { deriveUserId, operatorId } from '#lib/access/principal.ts';
import type { MemberRoles, Role } from '#lib/access/role.ts';
import { hashSession } from '#lib/access/session-items.ts';
import { acceptInvitation, putInvitation, queryInvitations } from '#lib/session/invitation-items.ts';
import { unique } from './caller.ts';
import { serviceUrl } from './service-url.ts';

/** A browser: its cookies by origin, and requests that follow no redirect by themselves. */
export class Browser {
  readonly cookies = new Map<string, Map<string, string>>();

  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url);
    const own = this.cookies.get(origin) ?? new Map<string, string>();
    this.cookies.set(origin, own);
    const headers = new Headers(init.headers);
    const sent = [...own].map(([name, value]) => `${name}=${value}`).join('; ');
    if (sent && !headers.has('cookie')) headers.set('cookie', sent);
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split(/=(.*)/s);
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(cookie)) own.delete(name);
      else own.set(name, value);
    }
    return response;
  }

  cookie(name: string): string | undefined {
    return this.cookies.get(new URL(serviceUrl()).origin)?.get(name);
  }

  setCookie(name: string, value: string): void {
    const { origin } = new URL(serviceUrl());
    const own = this.cookies.get(origin) ?? new Map<string, string>();
    this.cookies.set(origin, own.set(name, value));
  }
}

export const sessionCookie = 'agent-flow-session';
export const signInCookie = 'agent-flow-sign-in';

interface SignIn {
  readonly query?: string;
  readonly isVerified?: boolean;
}

/** Up to the redirect to the service, which is returned: the answer of the identity provider. */
export async function startSignIn(
  browser: Browser,
  email: string,
  { query = '', isVerified = true }: SignIn = {},
): Promise<string> {
  const asked = await follow(browser, `${serviceUrl()}/auth/login${query}`);
  // The provider may know the browser already.
  if (isAnswer(asked)) return asked;
  const form = new URLSearchParams({ email, verified: isVerified ? 'yes' : 'no' });
  const answer = await follow(browser, asked, { method: 'POST', body: form });
  if (isAnswer(answer)) return answer;
  throw new Error(`The identity provider does not come back, but stays at ${answer}.`);
}

const isAnswer = (url: string): boolean => url.startsWith(`${serviceUrl()}/auth/callback?`);

/** Where redirects lead: the callback of the service, which is not requested, or the first page. */
async function follow(browser: Browser, url: string, init?: RequestInit): Promise<string> {
  let at = url;
  let { headers } = await browser.fetch(at, init);
  for (let hops = 0; hops < 10; hops += 1) {
    const location = headers.get('location');
    if (location === null) return at;
    at = new URL(location, at).href;
    if (isAnswer(at)) return at;
    ({ headers } = await browser.fetch(at));
  }
  throw new Error(`Too many redirects, the last one to ${at}.`);
}

/** The answer to the callback. */
export async function signIn(browser: Browser, email: string, options: SignIn = {}): Promise<Response> {
  return await browser.fetch(await startSignIn(browser, email, options));
}

export const newEmail = (): string => `${unique('person')}@example.com`;

interface InviteOptions extends Partial<Pick<Member, 'orgid'>> {
  readonly email?: string;
  /** In all `workspaces`. */
  readonly role?: Role;
  readonly workspaces?: readonly string[] | '*';
  /** In place of the role. */
  readonly roles?: MemberRoles;
  readonly expiresAt?: number;
}

export async function invite({
  email = newEmail(),
  orgid = unique('org'),
  role = 'owner',
  workspaces = '*',
  roles = Object.fromEntries((workspaces === '*' ? ['*'] : workspaces).map((name) => [name, role])),
  expiresAt = Date.now() + 3_600_000,
}: InviteOptions = {}): Promise<{ readonly email: string; readonly orgid: string }> {
  await putInvitation({
    email,
    orgid,
    roles,
    created_at: new Date().toISOString(),
    created_by: operatorId,
    expires_at: new Date(expiresAt).toISOString(),
  });
  return { email, orgid };
}

/** A member who has never signed in. */
export async function joinOrganization(
  orgid: string,
  options: Pick<InviteOptions, 'role' | 'roles'> = { role: 'viewer' },
): Promise<Member> {
  const { email } = await invite({ orgid, ...options });
  const [invited] = await queryInvitations(email, Date.now());
  if (!invited) throw new Error('There is an invitation.');
  const { roles, created_at, created_by } = invited;
  const userid = deriveUserId('https://issuer.example', email);
  const by = { created_at, created_by, updated_at: created_at, updated_by: created_by };
  const member = { userid, orgid, roles, email, version: 1, ...by };
  await acceptInvitation(invited, member);
  return member;
}

export interface Person {
  readonly browser: Browser;
  readonly email: string;
  readonly orgid: string;
  readonly id: string;
  readonly sessionid: string;
  /** The headers of a page of the service. */
  readonly page: Readonly<Record<string, string>>;
}

/** A member with a session. */
export async function newPerson(options: InviteOptions = {}): Promise<Person> {
  const { email, orgid } = await invite(options);
  const browser = new Browser();
  const response = await signIn(browser, email, { query: `?orgid=${orgid}` });
  if (response.status !== 303) throw new Error(`Nobody was signed in: ${await response.text()}`);
  const page = pageHeaders(browser);
  const me = await fetch(`${serviceUrl()}/api/v1/me`, { headers: page });
  const { id } = (await me.json()) as { id: string };
  const sessionid = hashSession(browser.cookie(sessionCookie) ?? '');
  return { browser, email, orgid, id, sessionid, page };
}

export const pageHeaders = (browser: Browser): Record<string, string> => ({
  cookie: `${sessionCookie}=${browser.cookie(sessionCookie)}`,
  origin: new URL(serviceUrl()).origin,
  'sec-fetch-site': 'same-origin',
  'x-session-request': '1',
});
