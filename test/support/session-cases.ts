// The requests of sign-in and of sessions whose AWS calls docs/aws-calls.md counts: as the browser of a person sends
// them.
import { type Case, invoke, type Options } from './call-cost.ts';
import type { TestCaller } from './caller.ts';
import { Browser, invite, newPerson, type Person, signInCookie, startSignIn } from './person.ts';
import { newToken } from './tokens.ts';

/** In place of a key. This process has verified the session before. */
async function withSession(
  caller: TestCaller,
  build: (person: Person) => Options = () => ({}),
): Promise<Options> {
  const person = await newPerson({ orgid: caller.orgid });
  const headers = asPage(person);
  await invoke('getMe', caller, { headers });
  return { headers, ...build(person) };
}

/** In place of a key. */
async function withToken({ orgid }: TestCaller): Promise<Options> {
  return {
    headers: { 'X-API-Key': '', authorization: `Bearer ${await newToken(await newPerson({ orgid }))}` },
  };
}

const asPage = ({ page }: Person) => ({ ...page, 'X-API-Key': '' });

/** What the identity provider has sent the browser back with, once for each request. */
export async function signInAnswer(email: string, browser = new Browser()): Promise<Options> {
  const answer = new URL(await startSignIn(browser, email));
  return {
    query: Object.fromEntries(answer.searchParams),
    headers: { cookie: `${signInCookie}=${browser.cookie(signInCookie)}` },
  };
}

export const sessionCases: Readonly<Record<string, Case>> = {
  'session: begin a sign-in': { operation: 'beginSignIn', prepare: async () => ({ query: {} }) },
  'session: sign in for the first time, with an invitation': {
    operation: 'finishSignIn',
    prepare: async ({ orgid }) => await signInAnswer((await invite({ orgid })).email),
    hasCode: true,
  },
  'session: sign in again': {
    operation: 'finishSignIn',
    prepare: async ({ orgid }) => await signInAnswer((await newPerson({ orgid })).email),
    hasCode: true,
  },
  'session: show who is signed in': {
    operation: 'showSession',
    prepare: async (caller) => await withSession(caller),
  },
  'session: sign out': { operation: 'signOut', prepare: async (caller) => await withSession(caller) },
  'session: who the caller is, with a session': {
    operation: 'getMe',
    prepare: async (caller) => await withSession(caller),
  },
  'session: who the caller is, with an access token': {
    operation: 'getMe',
    prepare: async (caller) => await withToken(caller),
    isRepeated: true,
  },
  'session: who the caller is, with an access token that the process has not seen': {
    operation: 'getMe',
    prepare: async (caller) => await withToken(caller),
  },
  'session: list your sessions': {
    operation: 'listSessions',
    prepare: async (caller) => await withSession(caller),
  },
  'session: end one of your sessions': {
    operation: 'endSession',
    prepare: async (caller) => await withSession(caller, ({ sessionid }) => ({ params: { sessionid } })),
  },
};
