// Sign-in with a user pool of Amazon Cognito: functions of this process, with a pool that answers as Cognito does.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type PoolUser, startUserPool, type UserPool } from '#test/support/cognito.ts';
import { invite } from '#test/support/person.ts';
import { callSignIn } from '#test/support/sign-in-functions.ts';

let pool: UserPool;
/** Of somebody who is invited. */
let email = '';

beforeAll(async () => {
  pool = await startUserPool();
  process.env.SIGN_IN_ISSUER = pool.issuer;
  process.env.SIGN_IN_CLIENT_ID = pool.clientId;
  process.env.SIGN_IN_CLIENT_SECRET = pool.clientSecret;
  process.env.EGRESS_ALLOW_PRIVATE = pool.hosts.join(',');
});
afterAll(() => pool.close());
beforeEach(async () => {
  delete process.env.SIGN_IN_EMAIL_DOMAINS;
  ({ email } = await invite());
});

/** Through the pages of the pool; `change` is what somebody does to its answer. */
async function signIn(user: PoolUser, change: (answer: Record<string, string>) => object = () => ({})) {
  pool.setUser(user);
  const begun = await callSignIn('beginSignIn');
  const page = await fetch(begun.location ?? '', { redirect: 'manual' });
  const answer = Object.fromEntries(new URL(page.headers.get('location') ?? '').searchParams);
  const cookie = begun.cookies[0]?.split(';')[0] ?? '';
  return await callSignIn('finishSignIn', { ...answer, ...change(answer) }, cookie);
}

const domainOf = (address: string): string => address.split('@')[1] ?? '';
const fromOkta = (more: PoolUser = {}): PoolUser => ({
  email,
  emailVerified: false,
  identities: ['Okta'],
  userName: 'okta_ann@example.com',
  ...more,
});

describe('somebody of the pool itself', () => {
  test('becomes a member by an invitation of the address that the pool has verified', async () => {
    const answer = await signIn({ email, emailVerified: true, name: 'Ann' });
    expect(answer).toMatchObject({ status: 303, location: expect.stringMatching(/\/auth\/session$/) });
    expect(answer.cookies.join()).toContain('agent-flow-session=');
  });

  test('is a member at the next sign-in too, by issuer and sub', async () => {
    const user = { email, emailVerified: true };
    expect((await signIn(user)).status).toBe(303);
    expect((await signIn(user)).status).toBe(303);
  });

  test('is no member by an address that is not verified', async () => {
    expect((await signIn({ email, emailVerified: false })).status).toBe(403);
  });

  test('is no member by an address with the Kelvin sign, whose lower case is "k"', async () => {
    const invited = await invite({ email: `kim-${email}` });
    const look = invited.email.replace('k', '\u212a');
    expect(look.toLowerCase()).toBe(invited.email);
    expect((await signIn({ email: look, emailVerified: true })).status).toBe(403);
    expect((await signIn({ email: invited.email.toUpperCase(), emailVerified: true })).status).toBe(303);
  });

  test('is no member without an address, also where the userinfo endpoint sends texts', async () => {
    expect((await signIn({ name: 'Ann' })).status).toBe(403);
  });
});

test('the answer of Cognito, which does not name itself, is good in the browser that asked alone', async () => {
  pool.setUser({ email, emailVerified: true });
  const begun = await callSignIn('beginSignIn');
  const page = await fetch(begun.location ?? '', { redirect: 'manual' });
  const answer = Object.fromEntries(new URL(page.headers.get('location') ?? '').searchParams);
  expect(answer).not.toHaveProperty('iss');
  expect((await callSignIn('finishSignIn', answer, 'agent-flow-sign-in=other')).code).toBe('sign_in_failed');
});

test('a code is good once', async () => {
  pool.setUser({ email, emailVerified: true });
  const begun = await callSignIn('beginSignIn');
  const page = await fetch(begun.location ?? '', { redirect: 'manual' });
  const answer = Object.fromEntries(new URL(page.headers.get('location') ?? '').searchParams);
  const cookie = begun.cookies[0]?.split(';')[0] ?? '';
  expect((await callSignIn('finishSignIn', answer, cookie)).status).toBe(303);
  expect((await callSignIn('finishSignIn', answer, cookie)).code).toBe('sign_in_failed');
});

test('a federation that failed is a sign-in that failed, without what Cognito says of it', async () => {
  const answer = await signIn({}, () => ({
    code: undefined,
    error: 'invalid_request',
    error_description: 'attributes required: [email] <b>x</b>',
  }));
  expect(answer).toMatchObject({ status: 400, code: 'sign_in_failed' });
  expect(answer.body).not.toContain('attributes required');
});

test('without the secret of the client, no code is exchanged, and the operator is needed', async () => {
  process.env.SIGN_IN_CLIENT_SECRET = 'another';
  const answer = await signIn({ email, emailVerified: true });
  process.env.SIGN_IN_CLIENT_SECRET = pool.clientSecret;
  expect(answer).toMatchObject({ status: 503, code: 'dependency_unavailable', cookies: [] });
});

describe('somebody of a federated provider', () => {
  const answerFor = (provider: string, ...domains: string[]) => {
    process.env.SIGN_IN_EMAIL_DOMAINS = JSON.stringify({ [provider]: domains });
  };

  test('is a member if the provider says that the address is verified', async () => {
    expect((await signIn(fromOkta({ emailVerified: true }))).status).toBe(303);
  });

  test('is none where it says nothing, unless it answers for the domain', async () => {
    expect((await signIn(fromOkta())).status).toBe(403);
    answerFor('Okta', 'other.example', domainOf(email));
    expect((await signIn(fromOkta())).status).toBe(303);
  });

  test('is the same member as before, whatever the address is later', async () => {
    answerFor('Okta', domainOf(email));
    const user = fromOkta();
    expect((await signIn(user)).status).toBe(303);
    answerFor('Okta', 'other.example');
    expect((await signIn(user)).status).toBe(303);
  });

  test.each<[string, (invited: string) => PoolUser]>([
    ['another provider', () => fromOkta({ identities: ['Evil'], userName: 'evil_1' })],
    [
      'a provider that only begins with its name',
      () => fromOkta({ identities: ['Okta'], userName: 'oktaevil_1' }),
    ],
    ['an account of the pool to which it is linked', () => fromOkta({ userName: 'f2a0-1' })],
    ['two providers', () => fromOkta({ identities: ['Okta', 'Evil'] })],
    ['no provider', () => fromOkta({ identities: [] })],
    ['a name that objects have', () => fromOkta({ identities: ['constructor'], userName: 'constructor_1' })],
    ['a domain below its own', (invited) => fromOkta({ email: invited.replace('@', '@evil.') })],
    ['a domain that ends as its own', (invited) => fromOkta({ email: invited.replace('@', '@evil') })],
    ['an address with two domains', (invited) => fromOkta({ email: `x@evil.example@${domainOf(invited)}` })],
  ])('is none by the domains of it with %s', async (_what, user) => {
    answerFor('Okta', domainOf(email));
    const person = user(email);
    await invite({ email: person.email ?? email });
    expect((await signIn(person)).status).toBe(403);
  });
});
