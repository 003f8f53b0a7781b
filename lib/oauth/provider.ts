// The configuration of oidc-provider. It checks requests and issues codes and tokens; storage, consent, keys and what a
// client may be are ours. All that is not named here and on by default is switched off.
import { createPublicKey, type KeyObject } from 'node:crypto';
import Provider, {
  type Configuration,
  ExternalSigningKey,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { readMemberOf } from '#lib/access/member-items.ts';
import { oauthScopes } from '#lib/access/oauth-scope.ts';
import { type PublicJwk, publicKey, signJwsInput } from '#lib/access/signer.ts';
import { requireEnv } from '#lib/env.ts';
import { newToken } from '#lib/session/sign-in-state.ts';
import { findAdapter, registeredClientPrefix } from './adapter.ts';
import { adjustMetadata } from './client-metadata.ts';
import { makeClientSecret } from './client-secret.ts';
import { fetchDocument } from './fetch-document.ts';
import { grantSeconds } from './grant.ts';
import { clientAuthMethods } from './metadata.ts';
import { requestState } from './request-state.ts';
import { findResource } from './resource.ts';

let made: { readonly issuer: string; readonly provider: Promise<Provider> } | undefined;

/** One per process: it reads the public key once. */
export function findProvider(): Promise<Provider> {
  const issuer = requireEnv('GATEWAY_URL');
  if (made?.issuer === issuer) return made.provider;
  const provider = makeProvider(issuer).catch((error: unknown) => {
    made = undefined;
    throw error;
  });
  made = { issuer, provider };
  return provider;
}

async function makeProvider(issuer: string): Promise<Provider> {
  const provider = new Provider(issuer, {
    ...configuration,
    jwks: { keys: [new TenantKey(await publicKey())] },
  });
  // Its requests are made by `run-provider.ts`, which says by what scheme the service is reached.
  provider.proxy = true;
  provider.on('server_error', (_context, error: unknown) => {
    requestState().failure = error;
  });
  return provider;
}

/** The key of the tenant in KMS, which never leaves it: one call signs one token. */
class TenantKey extends ExternalSigningKey {
  readonly #jwk: PublicJwk;

  constructor(jwk: PublicJwk) {
    super();
    this.#jwk = jwk;
  }

  override get kid(): string {
    return this.#jwk.kid;
  }

  override get alg(): string {
    return 'ES256';
  }

  override keyObject(): KeyObject {
    return createPublicKey({ key: { ...this.#jwk }, format: 'jwk' });
  }

  override async sign(data: Buffer): Promise<Buffer> {
    return Buffer.from(await signJwsInput(data.toString()), 'base64url');
  }
}

const refreshTokenSeconds = 30 * 86_400;
const off = { enabled: false } as const;

const features = {
  clientIdMetadataDocument: {
    enabled: true,
    ack: 'draft-02',
    cacheDuration: { min: 60, max: 3_600 },
  },
  dPoP: off,
  devInteractions: off,
  externalSigningSupport: { enabled: true, ack: 'experimental-01' },
  pushedAuthorizationRequests: off,
  registration: {
    enabled: true,
    idFactory: () => {
      const clientId = `${registeredClientPrefix}${newToken()}`;
      requestState().clientId = clientId;
      return clientId;
    },
    secretFactory: async () => await makeClientSecret(requestState().clientId ?? ''),
    // Some clients take a registration without `registration_client_uri` for a failure.
    issueRegistrationAccessToken: true,
  },
  resourceIndicators: {
    enabled: true,
    useGrantedResource: () => true,
    getResourceServerInfo: (_context, indicator) => {
      const resource = findResource(indicator);
      if (!resource) throw new errors.InvalidTarget('resource must be that of the connector or of the API');
      return {
        audience: resource.uri,
        scope: resource.scopes.join(' '),
        accessTokenFormat: 'jwt',
        accessTokenTTL: 600,
        jwt: { sign: { alg: 'ES256' } },
      };
    },
  },
  revocation: { enabled: true },
  rpInitiatedLogout: off,
  userinfo: off,
} satisfies Configuration['features'];

const configuration: Configuration = {
  adapter: findAdapter,
  features,
  responseTypes: ['code'],
  scopes: ['openid', ...oauthScopes],
  claims: { openid: ['sub'] },
  subjectTypes: ['public'],
  clientAuthMethods: [...clientAuthMethods],
  clientDefaults: {
    grant_types: ['authorization_code', 'refresh_token'],
    id_token_signed_response_alg: 'ES256',
  },
  extraClientMetadata: {
    properties: ['software_id'],
    validator: (_context, _key, _value, metadata) => adjustMetadata(metadata),
  },
  enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
  routes: {
    authorization: '/oauth/authorize',
    token: '/oauth/token',
    registration: '/oauth/register',
    revocation: '/oauth/revoke',
    jwks: '/.well-known/jwks.json',
  },
  ttl: {
    AccessToken: 600,
    AuthorizationCode: 60,
    Grant: grantSeconds,
    IdToken: 600,
    Interaction: 1_800,
    RefreshToken: refreshTokenSeconds,
    Session: 60,
  },
  pkce: { required: () => true },
  // Codes and tokens are shown to the pages of any origin that has them: no cookie is involved.
  clientBasedCORS: () => true,
  expiresWithSession: () => false,
  issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
  rotateRefreshToken: true,
  extraTokenClaims: () => {
    const { grant } = requestState();
    return grant && { org: grant.orgid, ws: grant.workspaces, grant: grant.grantid };
  },
  findAccount: async (_context, userid, token) =>
    token === undefined || (await isStillMember(userid))
      ? { accountId: userid, claims: () => ({ sub: userid }) }
      : undefined,
  loadExistingGrant: async ({ oidc }) => {
    const grantId = oidc.result?.consent?.grantId;
    return grantId === undefined ? undefined : await oidc.provider.Grant.find(grantId);
  },
  interactions: {
    policy: prompts(),
    url: (_context, { uid }) => `${requireEnv('GATEWAY_URL')}/oauth/consent/${uid}`,
  },
  fetch: fetchDocument,
  // The answer is made into a page by `serve.ts`.
  renderError: (context, out) => {
    context.body = { ...out };
  },
};

/** Of the organisation of the grant, without a break. */
async function isStillMember(userid: string): Promise<boolean> {
  const { grant } = requestState();
  return grant?.userid === userid && (await readMemberOf(grant)) !== undefined;
}

/** A person is asked each time. The page deals with the reasons to sign in again. */
function prompts(): interactionPolicy.Prompt[] {
  const unanswered = new interactionPolicy.Check('unanswered', 'Consent is required.', (context) => {
    if (context.oidc.result?.consent) return false;
    requireOneResource(context);
    return true;
  });
  return [
    new interactionPolicy.Prompt({ name: 'consent', requestable: true }, unanswered),
    new interactionPolicy.Prompt({ name: 'login', requestable: true }),
    new interactionPolicy.Prompt({ name: 'select_account', requestable: true }),
  ];
}

/** Before a person is asked: a request that cannot end in a token is refused. */
function requireOneResource({ oidc }: KoaContextWithOIDC): void {
  const [resource, ...others] = Object.values(oidc.resourceServers ?? {});
  if (!resource || others.length > 0) throw new errors.InvalidTarget('only one resource is supported');
  if (![...oidc.requestParamScopes].some((scope) => resource.scopes.has(scope)))
    throw new errors.InvalidScope('none of the scopes is one of the resource', String(oidc.params?.scope));
}
