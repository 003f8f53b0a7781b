// A user pool on loopback that answers as Amazon Cognito does: the issuer on one host, the endpoints on that of its
// domain, no `iss` in the answer, claims of its own in the ID token, and texts for booleans at the userinfo endpoint.
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { closeServer, listen } from '#lib/local/listen.ts';

export interface PoolUser {
  readonly email?: string | undefined;
  readonly emailVerified?: boolean;
  readonly name?: string;
  /** The providers of which the person is known; one that signs in by itself has that provider's user name. */
  readonly identities?: readonly string[];
  readonly userName?: string;
}

export interface UserPool {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The hosts that functions may reach. */
  readonly hosts: readonly string[];
  /** The person of the next sign-ins. */
  readonly setUser: (user: PoolUser) => void;
  readonly close: () => Promise<void>;
}

interface Code {
  readonly nonce: string | null;
  readonly challenge: string | null;
  readonly redirectUri: string | null;
}

export async function startUserPool(): Promise<UserPool> {
  const keys = await generateKeyPair('RS256', { extractable: true });
  const kid = randomUUID();
  const jwk = { ...(await exportJWK(keys.publicKey)), kid, alg: 'RS256', use: 'sig' };
  const clientId = randomUUID().replaceAll('-', '').slice(0, 26);
  const clientSecret = randomUUID().replaceAll('-', '');
  const codes = new Map<string, Code>();
  let user: PoolUser = {};

  const issuing = createServer((request, response) => {
    if (request.url === '/eu-central-1_Pool/.well-known/jwks.json') return send(response, { keys: [jwk] });
    if (request.url === '/eu-central-1_Pool/.well-known/openid-configuration')
      return send(response, metadata());
    return response.writeHead(404).end();
  });
  const domain = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', domainUrl);
    if (pathname === '/oauth2/authorize') return authorize(searchParams, response);
    if (pathname === '/oauth2/token') return await exchange(request, response);
    if (pathname === '/oauth2/userInfo') return send(response, profile());
    return response.writeHead(404).end();
  });
  const issuer = `${await listen(issuing, 0)}/eu-central-1_Pool`;
  const domainUrl = await listen(domain, 0);

  const metadata = () => ({
    authorization_endpoint: `${domainUrl}/oauth2/authorize`,
    end_session_endpoint: `${domainUrl}/logout`,
    id_token_signing_alg_values_supported: ['RS256'],
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    response_types_supported: ['code', 'token'],
    revocation_endpoint: `${domainUrl}/oauth2/revoke`,
    scopes_supported: ['openid', 'email', 'phone', 'profile'],
    subject_types_supported: ['public'],
    token_endpoint: `${domainUrl}/oauth2/token`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    userinfo_endpoint: `${domainUrl}/oauth2/userInfo`,
  });

  /** The pages of managed login, at the moment at which the person has signed in there. */
  function authorize(query: URLSearchParams, response: ServerResponse) {
    const redirectUri = query.get('redirect_uri');
    const isValid =
      query.get('client_id') === clientId && query.get('response_type') === 'code' && redirectUri;
    if (!isValid) return response.writeHead(302, { location: `${domainUrl}/error` }).end();
    const code = randomUUID();
    codes.set(code, { nonce: query.get('nonce'), challenge: query.get('code_challenge'), redirectUri });
    const answer = new URL(redirectUri);
    answer.searchParams.set('code', code);
    answer.searchParams.set('state', query.get('state') ?? '');
    return response.writeHead(302, { location: answer.href }).end();
  }

  async function exchange(request: IncomingMessage, response: ServerResponse) {
    const form = new URLSearchParams(await text(request));
    const expected = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    if (request.headers.authorization !== expected) return send(response, { error: 'invalid_client' }, 400);
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!code || code.challenge !== challenge || code.redirectUri !== form.get('redirect_uri'))
      return send(response, { error: 'invalid_grant' }, 400);
    return send(response, {
      id_token: await idToken(code.nonce),
      access_token: `access-${randomUUID()}`,
      refresh_token: `refresh-${randomUUID()}`,
      expires_in: 300,
      token_type: 'Bearer',
    });
  }

  const sub = () => createHash('sha256').update(JSON.stringify(user)).digest('hex').slice(0, 32);
  async function idToken(nonce: string | null) {
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      at_hash: randomUUID(),
      sub: sub(),
      ...(user.email !== undefined && { email: user.email, email_verified: user.emailVerified ?? false }),
      iss: issuer,
      'cognito:username': user.userName ?? sub(),
      ...(nonce !== null && { nonce }),
      origin_jti: randomUUID(),
      aud: clientId,
      ...(user.identities && { identities: user.identities.map(toIdentity) }),
      token_use: 'id',
      auth_time: now,
      ...(user.name !== undefined && { name: user.name }),
      exp: now + 300,
      iat: now,
      jti: randomUUID(),
    };
    return await new SignJWT(claims).setProtectedHeader({ kid, alg: 'RS256' }).sign(keys.privateKey);
  }

  const profile = () => ({
    sub: sub(),
    ...(user.email !== undefined && {
      email: user.email,
      email_verified: String(user.emailVerified ?? false),
    }),
    ...(user.identities && { identities: JSON.stringify(user.identities.map(toIdentity)) }),
    username: user.userName ?? sub(),
  });

  return {
    issuer,
    clientId,
    clientSecret,
    hosts: [issuer, domainUrl].map((url) => new URL(url).host),
    setUser: (next) => {
      user = next;
    },
    close: async () => void (await Promise.all([closeServer(issuing), closeServer(domain)])),
  };
}

const toIdentity = (providerName: string) => ({
  userId: `id-at-${providerName}`,
  providerName,
  providerType: 'SAML',
  issuer: 'https://id.example.com',
  primary: 'true',
  dateCreated: '1642699117273',
});

const send = (response: ServerResponse, body: object, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json;charset=UTF-8' }).end(JSON.stringify(body));
