// A real OpenID Connect provider on loopback, in place of that of a tenant. It signs in the owner at once, or, with one
// click on its page, another sample user; what the service does is the same as with any other provider.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import Provider, { type JWK } from 'oidc-provider';
import { html } from '#lib/page/html.ts';
import { toPage } from '#lib/page/page.ts';
import { startHttpListener } from './listen.ts';
import { isOwnNavigation } from './own-navigation.ts';
import { newProviderStorage } from './provider-storage.ts';
import { findLocalUser, sampleUsers, toSub } from './sample-users.ts';

export interface IdentityProvider {
  /** Its issuer, such as `http://127.0.0.1:4020`. */
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Begins to serve sign-ins of the service at this address. */
  readonly open: (baseUrl: string) => void;
  readonly close: () => Promise<void>;
}

const clientId = 'agent-flow-local';
const defaultPort = 4020;

interface ProviderOptions {
  readonly formerUrl: string | undefined;
  /** Whether the owner is signed in without a click; somebody else by `prompt=login`, as after signing out. */
  readonly signsInAtOnce: boolean;
}

/**
 * Prefers its previous address: users are known by it. It listens before the service does, whose configuration
 * has the issuer, and is opened when the address of the service is known.
 */
export async function startIdentityProvider({
  formerUrl,
  signsInAtOnce,
}: ProviderOptions): Promise<IdentityProvider> {
  const preferred = formerUrl === undefined ? defaultPort : Number(new URL(formerUrl).port);
  const listener = await startHttpListener(preferred, defaultPort, 0);
  const clientSecret = randomBytes(32).toString('base64url');
  return {
    url: listener.baseUrl,
    clientId,
    clientSecret,
    open: (baseUrl) =>
      listener.open(serve(newProvider(listener.baseUrl, clientSecret, baseUrl), baseUrl, signsInAtOnce)),
    close: listener.close,
  };
}

const newProvider = (issuer: string, clientSecret: string, baseUrl: string): Provider =>
  new Provider(issuer, {
    adapter: newProviderStorage(),
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${baseUrl}/auth/callback`],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    scopes: ['openid', 'email', 'profile'],
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    jwks: { keys: [newSigningKey()] },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      IdToken: 600,
      Interaction: 600,
      Grant: 3_600,
      Session: 3_600,
    },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...findLocalUser(sub) }) }),
    loadExistingGrant: async ({ oidc }) => {
      const { client, session, provider } = oidc;
      if (!client || !session?.accountId) return undefined;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });

function newSigningKey(): JWK {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' } as JWK;
}

function serve(provider: Provider, baseUrl: string, signsInAtOnce: boolean) {
  const callback = provider.callback();
  return async (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith('/interaction/')) return await callback(request, response);
    try {
      if (request.method === 'POST') return await signIn(provider, request, response);
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return response.writeHead(405, { allow: 'GET, HEAD, POST' }).end();
      const { params } = await provider.interactionDetails(request, response);
      if (
        signsInAtOnce &&
        request.method === 'GET' &&
        params.prompt === undefined &&
        isOwnNavigation(request)
      )
        return await finish(provider, request, response, firstUser);
      return showUsers(response, baseUrl);
    } catch {
      return response.writeHead(400).end('This sign-in has ended. Begin again.');
    }
  };
}

async function signIn(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = new URLSearchParams(await text(request));
  const email = form.get('email')?.trim();
  const accountId = form.get('user') ?? (email ? toSub(email, form.get('verified') !== 'no') : undefined);
  if (accountId === undefined) throw new Error('The form names nobody.');
  await finish(provider, request, response, accountId);
}

/** The owner, who may do everything. */
const firstUser = 'owner';

async function finish(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  accountId: string,
): Promise<void> {
  const { session } = await provider.interactionDetails(request, response);
  const next = await provider.interactionResult(request, response, { login: { accountId } });
  await forgetOther(provider, session?.uid, accountId);
  response.writeHead(303, { location: next }).end();
}

/** The provider would ask whether to sign out who was signed in before, with a page that needs script. */
async function forgetOther(provider: Provider, uid: string | undefined, accountId: string): Promise<void> {
  const session = uid === undefined ? undefined : await provider.Session.findByUid(uid);
  if (!session || session.accountId === accountId) return;
  delete session.accountId;
  await session.persist();
}

function showUsers(response: ServerResponse, baseUrl: string): void {
  const page = toPage({
    status: 200,
    title: 'Sign in locally',
    referrer: 'same-origin',
    body: html`
<h1>Sign in locally</h1>
<p class="lead">This provider runs on your machine and asks for no password.</p>
<form method="post">
${sampleUsers.map(({ sub, name, role }) => html`<p><button class="button" name="user" value="${sub}">${name}, ${role}</button></p>`)}
</form>
<h2>Somebody else</h2>
<form method="post">
<div class="field"><label for="email">E-mail address</label><input id="email" name="email" type="email" autocomplete="off" required></div>
<div class="field"><label for="verified">Is the address verified?</label><select id="verified" name="verified"><option value="yes">Yes</option><option value="no">No</option></select></div>
<button class="button quiet">Sign in</button>
</form>`,
  });
  // Browsers check the redirects that follow a form, too.
  const policy = page.headers['content-security-policy']?.replace(
    "form-action 'self'",
    `form-action 'self' ${baseUrl}`,
  );
  response
    .writeHead(200, { ...page.headers, 'content-type': page.contentType, 'content-security-policy': policy })
    .end(page.text);
}
