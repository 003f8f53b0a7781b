// Identity providers that do not do what they should: functions of this process, with a provider that a test writes.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { closeServer, listen } from '#lib/local/listen.ts';
import { unique } from '#test/support/caller.ts';
import { invite } from '#test/support/person.ts';
import { callSignIn } from '#test/support/sign-in-functions.ts';

const keys = await generateKeyPair('RS256', { extractable: true });
const otherKeys = await generateKeyPair('RS256');
const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };

interface Mood {
  readonly metadata?: object;
  readonly claims?: JWTPayload;
  readonly header?: object;
  readonly signedBy?: typeof keys.privateKey;
  readonly profile?: object;
  readonly tokenStatus?: number;
  readonly tokenError?: string;
  /** Sent with a refusal, as RFC 6749 §5.2 wants it for a client that used this header. */
  readonly challenge?: string;
}
let mood: Mood = {};
let issuer = '';
let nonce = '';
let email = '';
const asked: { readonly authorization: string | undefined; readonly form: URLSearchParams }[] = [];

const idToken = async () => {
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    iss: issuer,
    aud: 'client',
    sub: 'sub-1',
    nonce,
    iat: now,
    exp: now + 60,
    email,
    email_verified: true,
  };
  return await new SignJWT({ ...claims, ...mood.claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'one', ...mood.header })
    .sign(mood.signedBy ?? keys.privateKey);
};

const server = createServer(async (request, response) => {
  const send = (body: object, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (request.url === '/jwks') return send({ keys: [jwk] });
  if (request.url === '/userinfo') {
    if (mood.profile) return send(mood.profile);
    response.setHeader('www-authenticate', 'Bearer error="invalid_token"');
    return send({}, 401);
  }
  if (request.url !== '/token')
    return send({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/userinfo`,
      ...mood.metadata,
    });
  asked.push({
    authorization: request.headers.authorization,
    form: new URLSearchParams(await text(request)),
  });
  const { tokenStatus = 200, tokenError = 'server_error', challenge } = mood;
  if (challenge) response.setHeader('www-authenticate', challenge);
  if (tokenStatus !== 200) return send({ error: tokenError }, tokenStatus);
  return send({ access_token: 'access', token_type: 'Bearer', id_token: await idToken() });
});

beforeAll(async () => {
  const url = new URL(await listen(server, 0));
  process.env.SIGN_IN_CLIENT_ID = 'client';
  process.env.SIGN_IN_CLIENT_SECRET = 'a secret/with:signs';
  process.env.EGRESS_ALLOW_PRIVATE = url.host;
  port = url.port;
});
afterAll(() => closeServer(server));
let port = '';

/** A path of its own, as the metadata of an issuer is remembered. */
beforeEach(async () => {
  mood = {};
  issuer = `http://127.0.0.1:${port}/${unique('issuer')}`;
  process.env.SIGN_IN_ISSUER = issuer;
  ({ email } = await invite());
});
// The issuer is all before the well-known path, and the other endpoints are those of that path.
server.prependListener('request', (request) => {
  request.url = request.url?.replace(/^\/issuer_\w+/, '');
});

async function signInHere(more: Readonly<Record<string, string>> = {}) {
  const begun = await callSignIn('beginSignIn');
  if (begun.status !== 303) return begun;
  const { searchParams } = new URL(begun.location ?? '');
  nonce = searchParams.get('nonce') ?? '';
  const cookie = begun.cookies[0]?.split(';')[0] ?? '';
  return await callSignIn(
    'finishSignIn',
    { state: searchParams.get('state') ?? '', code: 'code-1', ...more },
    cookie,
  );
}

test('a provider that does what it should signs in; the service proves who it is, and its verifier', async () => {
  expect((await signInHere()).status).toBe(303);
  const { authorization, form } = asked.at(-1) ?? {};
  const credentials = ['client', 'a secret/with:signs'].map((part) =>
    new URLSearchParams({ '': part }).toString().slice(1),
  );
  expect(Buffer.from(authorization?.split(' ')[1] ?? '', 'base64').toString()).toBe(credentials.join(':'));
  expect(Object.fromEntries(form ?? [])).toEqual({
    grant_type: 'authorization_code',
    code: 'code-1',
    redirect_uri: `${process.env.GATEWAY_URL}/auth/callback`,
    code_verifier: expect.stringMatching(/^[\w-]{43}$/),
  });
});

test('a provider that takes the secret in the body alone gets it there', async () => {
  mood = { metadata: { token_endpoint_auth_methods_supported: ['client_secret_post'] } };
  expect((await signInHere()).status).toBe(303);
  expect(asked.at(-1)?.form.get('client_secret')).toBe('a secret/with:signs');
});

test.each<[string, Mood]>([
  ['the nonce of another sign-in', { claims: { nonce: 'A'.repeat(43) } }],
  ['another issuer', { claims: { iss: 'https://evil.example' } }],
  ['another audience', { claims: { aud: 'another-client' } }],
  [
    'several audiences, and another as the authorized one',
    { claims: { aud: ['client', 'other'], azp: 'other' } },
  ],
  ['an expiry in the past', { claims: { exp: Math.floor(Date.now() / 1_000) - 120 } }],
  ['no sub', { claims: { sub: undefined } as unknown as JWTPayload }],
  ['a signature of another key', { signedBy: otherKeys.privateKey }],
  ['a key that is not published', { header: { kid: 'two' } }],
])('an ID token with %s is refused', async (_what, wrong) => {
  mood = wrong;
  expect(await signInHere()).toMatchObject({ status: 400, code: 'sign_in_failed', cookies: [] });
});

test('the answer of another provider is refused, where the provider names itself and where it does not', async () => {
  expect((await signInHere({ iss: 'https://evil.example' })).code).toBe('sign_in_failed');
  issuer = `http://127.0.0.1:${port}/${unique('issuer')}`;
  process.env.SIGN_IN_ISSUER = issuer;
  mood = { metadata: { authorization_response_iss_parameter_supported: true } };
  expect((await signInHere()).code).toBe('sign_in_failed');
  expect((await signInHere({ iss: issuer })).status).toBe(303);
});

test.each<[string, Mood, number]>([
  ['is verified', { claims: { email_verified: true } }, 303],
  ['is not verified', { claims: { email_verified: false } }, 403],
  ['is verified by a text', { claims: { email_verified: 'true' } }, 403],
  ['says nothing of it', { claims: { email_verified: undefined } as unknown as JWTPayload }, 403],
])('an invitation finds an address that %s or not', async (_what, given, status) => {
  mood = given;
  expect((await signInHere()).status).toBe(status);
});

test('the address may come from the userinfo endpoint, of the same person alone', async () => {
  const claims = { email: undefined, email_verified: undefined } as unknown as JWTPayload;
  mood = { claims, profile: { sub: 'sub-1', email: email.toUpperCase(), email_verified: true } };
  expect((await signInHere()).status).toBe(303);
  mood = { claims, profile: { sub: 'sub-2', email, email_verified: true } };
  expect((await signInHere()).code).toBe('sign_in_failed');
  // The access token is refused there, not the client.
  mood = { claims };
  expect((await signInHere()).code).toBe('sign_in_failed');
});

test.each<[string, Mood]>([
  ['is another', { metadata: { issuer: 'https://evil.example' } }],
  ['has no endpoint to sign in', { metadata: { authorization_endpoint: undefined } }],
])('metadata whose issuer %s is not used', async (_what, wrong) => {
  mood = wrong;
  expect(await signInHere()).toMatchObject({ status: 503, code: 'dependency_unavailable' });
});

test('a provider that fails is a dependency that is not available', async () => {
  mood = { tokenStatus: 500 };
  expect(await signInHere()).toMatchObject({ status: 503, code: 'dependency_unavailable' });
});

test.each<[string, Mood]>([
  ['by a challenge', { tokenStatus: 401, tokenError: 'invalid_client', challenge: 'Basic realm="idp"' }],
  ['in the body alone', { tokenStatus: 400, tokenError: 'invalid_client' }],
  ['for this kind of grant', { tokenStatus: 400, tokenError: 'unauthorized_client' }],
])(
  'a provider that refuses the client %s is a matter of the operator, and the page says so',
  async (_how, refusal) => {
    mood = refusal;
    const answer = await signInHere();
    expect(answer).toMatchObject({ status: 503, code: 'dependency_unavailable', cookies: [] });
    expect(answer.body).toContain('does not accept the client id or the client secret');
  },
);

test('a code that the provider refuses is a failed sign-in', async () => {
  mood = { tokenStatus: 400, tokenError: 'invalid_grant' };
  expect(await signInHere()).toMatchObject({ status: 400, code: 'sign_in_failed' });
});

test('a provider at a private address is refused, unless the operator of a laptop allows it', async () => {
  process.env.SIGN_IN_ISSUER = `http://127.0.0.1:${Number(port) + 1}`;
  expect(await signInHere()).toMatchObject({ status: 503, code: 'dependency_unavailable' });
});

test('without a provider nobody can sign in', async () => {
  delete process.env.SIGN_IN_ISSUER;
  expect((await callSignIn('beginSignIn')).code).toBe('sign_in_not_configured');
});
