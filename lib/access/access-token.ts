// Access tokens of OAuth clients (RFC 9068): ES256 JWTs of the tenant's signing key, which the authorization server
// issues to a client that a user has granted something. The principal is the user. Checking one costs two reads of the
// control table: of the grant, and of the membership of the user now.
import * as z from 'zod';
import { requireEnv } from '#lib/env.ts';
import { orgid } from '#lib/ids.ts';
import { type Caller, intersectCallers } from './caller.ts';
import { type Grant, grantId, readGrant } from './grant-items.ts';
import { readMemberOf, toCaller } from './member-items.ts';
import { agentScopes, type OAuthScope, oauthScopes } from './oauth-scope.ts';
import { verifyOwnJwt } from './own-jwt.ts';
import { permissions } from './permission.ts';
import { userId } from './principal.ts';
import { type Resource, resourceUrls } from './resource.ts';
import { rememberTokens } from './token-memory.ts';

export const accessTokenType = 'at+jwt';

/** The authorization server issues them for ten minutes. */
const ageSecondsMax = 3_600;

const claims = /* @__PURE__ */ z.lazy(() =>
  z.object({
    sub: userId,
    /** One resource: a list could name several. */
    aud: z.string(),
    client_id: z.string(),
    org: orgid,
    scope: z.string(),
    grant: grantId,
    exp: z.number(),
  }),
);
type Claims = z.infer<typeof claims>;

const memories = { api: newMemory('api'), connector: newMemory('connector') };

/** Every reason for refusal looks the same to the caller; the cause is for the log. */
export const verifyAccessToken = async (token: string, resource: Resource): Promise<Caller> =>
  await memories[resource].verify(token);

/** Makes this process ask again about the access tokens of a user. */
export function forgetAccessTokensOf(userid: string): void {
  for (const memory of Object.values(memories)) memory.forgetAllOf(userid);
}

function newMemory(resource: Resource) {
  return rememberTokens(async (token) => {
    const verified = await verify(token, resource);
    const caller = await findCaller(verified);
    return {
      id: verified.grant,
      caller,
      expiresAt: Math.min(verified.exp, caller?.expiresAt ?? verified.exp),
    };
  });
}

const verify = async (token: string, resource: Resource): Promise<Claims> =>
  await verifyOwnJwt(token, {
    typ: accessTokenType,
    issuer: requireEnv('GATEWAY_URL'),
    audience: resourceUrls(resource),
    requiredClaims: ['sub', 'client_id', 'org', 'scope', 'grant', 'exp', 'iat', 'jti'],
    maxTokenAge: ageSecondsMax,
    claims,
  });

/** A membership that began after the grant is another one. */
async function findCaller({ sub, org, scope, grant: id }: Claims): Promise<Caller | undefined> {
  const grant = await readGrant(id, Date.now());
  if (grant?.userid !== sub || grant.orgid !== org) return undefined;
  const member = await readMemberOf(grant);
  return member && limitToGrant(toCaller(member), grant, new Set(scope.split(' ')));
}

/** The scopes are those of the token, whose grant may have others by now. */
function limitToGrant(user: Caller, { workspaces, expires_at }: Grant, sent: ReadonlySet<string>): Caller {
  const has = (scope: OAuthScope) => sent.has(scope);
  const allowed: readonly OAuthScope[] = [...agentScopes, ...user.scopes];
  return {
    ...intersectCallers(user, {
      id: user.id,
      orgid: user.orgid,
      workspaces: workspaces === '*' ? '*' : new Set(workspaces),
      scopes: new Set(permissions.filter(has)),
    }),
    expiresAt: Math.floor(Date.parse(expires_at) / 1_000),
    token: {
      granted: new Set(oauthScopes.filter(has)),
      available: new Set(allowed.filter((scope) => !has(scope))),
    },
  };
}
