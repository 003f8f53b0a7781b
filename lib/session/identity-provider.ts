// The OpenID Connect provider of the tenant: its metadata, and who a code stands for. All requests go through the
// guarded fetch. Messages to people never contain what the provider has sent.
import * as oauth from 'oauth4webapi';
import { isAllowedPrivate, parseEgressPolicy } from '#lib/egress/egress-policy.ts';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { optionalEnv, requireEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';
import { findVerifiedEmail } from './verified-email.ts';

export interface Identity {
  readonly issuer: string;
  readonly sub: string;
  /** In lower case; only an address that the provider has verified. */
  readonly email: string | undefined;
  readonly name: string | undefined;
}

type ProviderFetch = (
  url: string,
  init: oauth.CustomFetchOptions<'GET' | 'POST', URLSearchParams | undefined>,
) => Promise<Response>;

interface Provider {
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly options: {
    readonly [oauth.customFetch]: ProviderFetch;
    readonly [oauth.allowInsecureRequests]: boolean;
  };
}

const callbackUrl = (): string => `${requireEnv('GATEWAY_URL')}/auth/callback`;

const policy = () => parseEgressPolicy(optionalEnv('EGRESS_ALLOW_PRIVATE'));
const limits = { headersMs: 5_000, bodyMs: 5_000, responseBytesMax: 256 * 1024 };

/** Over https alone, but for a provider on the laptop of a developer. */
function requestOptions(issuer: URL): Provider['options'] {
  const fetch = createGuardedFetch(policy());
  return {
    [oauth.customFetch]: async (url, init) =>
      await fetch(url, {
        method: init.method,
        headers: init.headers,
        redirect: init.redirect,
        limits,
        ...(init.body != null && { body: String(init.body) }),
      }),
    [oauth.allowInsecureRequests]: isAllowedPrivate(issuer, policy()),
  };
}

const rememberedMs = 10 * 60_000;
let remembered: { readonly issuer: string; readonly until: number; readonly provider: Provider } | undefined;

/** Throws `sign_in_not_configured`, or `dependency_unavailable` while the provider does not answer. */
export async function findProvider(nowMs: number): Promise<Provider> {
  const issuer = optionalEnv('SIGN_IN_ISSUER');
  if (issuer === undefined)
    throw new ServiceError('sign_in_not_configured', { detail: 'This service has no identity provider.' });
  if (remembered?.issuer === issuer && remembered.until > nowMs) return remembered.provider;
  const provider = await discover(issuer);
  remembered = { issuer, until: nowMs + rememberedMs, provider };
  return provider;
}

async function discover(issuer: string): Promise<Provider> {
  const url = new URL(issuer);
  const options = requestOptions(url);
  try {
    const response = await oauth.discoveryRequest(url, options);
    const server = await oauth.processDiscoveryResponse(url, response);
    return { server, client: { client_id: requireEnv('SIGN_IN_CLIENT_ID') }, options };
  } catch (cause) {
    throw new ServiceError('dependency_unavailable', {
      detail: 'The identity provider does not answer as it should. Try again in a moment.',
      cause,
    });
  }
}

export interface AuthorizationRequest {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Asks the provider to let the person choose, or enter a password again. */
  readonly prompt?: string | undefined;
}

export async function buildAuthorizationUrl(
  { server, client }: Provider,
  { state, nonce, verifier, prompt }: AuthorizationRequest,
): Promise<string> {
  if (server.authorization_endpoint === undefined)
    throw new ServiceError('dependency_unavailable', {
      cause: 'The provider has no authorization endpoint.',
    });
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: callbackUrl(),
    scope: 'openid email profile',
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(prompt !== undefined && { prompt }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/**
 * Throws `sign_in_failed` for whatever the provider refuses to the person, and for an answer that was not asked for.
 * If it refuses the service, nobody can sign in until the operator has acted: that is a failure of a dependency.
 */
export async function fetchIdentity(
  provider: Provider,
  answer: URLSearchParams,
  expected: AuthorizationRequest,
): Promise<Identity> {
  try {
    return await exchange(provider, answer, expected);
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    if (isOutage(cause)) throw new ServiceError('dependency_unavailable', { cause });
    throw new ServiceError('sign_in_failed', { detail: describeFailure(cause), cause });
  }
}

async function exchange(
  { server, client, options }: Provider,
  answer: URLSearchParams,
  { state, nonce, verifier }: AuthorizationRequest,
): Promise<Identity> {
  const checked = oauth.validateAuthResponse(server, client, answer, state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    clientAuthentication(server),
    checked,
    callbackUrl(),
    verifier,
    options,
  );
  const tokens = await oauth
    .processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    })
    .catch(explainClientRefusal);
  await oauth.validateApplicationLevelSignature(server, response, options);
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  if (!claims) throw new Error('The provider sent no ID token.');
  const profile: Profile =
    claims.email === undefined
      ? await fetchProfile({ server, client, options }, tokens, claims.sub)
      : { ...claims };
  return toIdentity(claims, profile);
}

function clientAuthentication({
  token_endpoint_auth_methods_supported: supported,
}: oauth.AuthorizationServer) {
  const secret = optionalEnv('SIGN_IN_CLIENT_SECRET');
  if (secret === undefined) return oauth.None();
  const isPostOnly = supported !== undefined && !supported.includes('client_secret_basic');
  return isPostOnly ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret);
}

/** Many providers give the e-mail address at this endpoint only. */
async function fetchProfile(
  { server, client, options }: Provider,
  { access_token }: oauth.TokenEndpointResponse,
  sub: string,
): Promise<Profile> {
  if (server.userinfo_endpoint === undefined) return {};
  const response = await oauth.userInfoRequest(server, client, access_token, options);
  return await oauth.processUserInfoResponse(server, client, sub, response);
}

type Profile = Readonly<Record<string, unknown>>;

function toIdentity({ iss, sub }: Pick<oauth.IDToken, 'iss' | 'sub'>, profile: Profile): Identity {
  const { name } = profile;
  return {
    issuer: iss,
    sub,
    email: findVerifiedEmail(profile),
    name: typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 200) : undefined,
  };
}

/** Whatever is no refusal by the protocol: the network, the guarded fetch, and errors of the server itself. */
function isOutage(cause: unknown): boolean {
  if (!(cause instanceof Error) || !isOfProtocol(cause)) return true;
  return cause.cause instanceof Response && cause.cause.status >= 500;
}

/** A token endpoint refuses the client by a challenge or by these codes, and the code by others (RFC 6749 §5.2). */
function explainClientRefusal(cause: unknown): never {
  const isRefused =
    cause instanceof oauth.WWWAuthenticateChallengeError ||
    (cause instanceof oauth.ResponseBodyError && /^(invalid|unauthorized)_client$/.test(cause.error));
  if (!isRefused) throw cause;
  throw new ServiceError('dependency_unavailable', {
    detail:
      'The identity provider does not accept the client id or the client secret of this service. Its operator has to correct them.',
    cause,
  });
}

const isOfProtocol = (cause: Error): boolean =>
  cause instanceof oauth.AuthorizationResponseError ||
  cause instanceof oauth.ResponseBodyError ||
  cause instanceof oauth.OperationProcessingError ||
  cause instanceof oauth.WWWAuthenticateChallengeError ||
  cause instanceof oauth.UnsupportedOperationError;

const describeFailure = (cause: unknown): string =>
  cause instanceof oauth.AuthorizationResponseError && cause.error === 'access_denied'
    ? 'The sign-in was not completed at the identity provider.'
    : 'The answer of the identity provider is not one that this sign-in asked for. Sign in again.';
