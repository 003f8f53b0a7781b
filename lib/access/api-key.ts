// API keys: ES256 JWTs signed by the tenant's signing key.
import * as z from 'zod';
import { requireEnv } from '#lib/env.ts';
import { orgid, workspaceid } from '#lib/ids.ts';
import type { Caller } from './caller.ts';
import { limitToRoot, readKeyInForce } from './key-in-force.ts';
import { verifyOwnJwt } from './own-jwt.ts';
import { type Permission, permissions } from './permission.ts';
import { principalKind } from './principal.ts';
import { signJws } from './signer.ts';
import { rememberTokens } from './token-memory.ts';

const typ = 'api-key+jwt';
const audience = 'urn:agent-flow:api';
/** Not the gateway URL: keys outlive a change of domain. */
const issuer = () => `urn:agent-flow:tenant:${requireEnv('TENANT_ID')}`;
const yearSeconds = 365 * 86_400;

const claims = /* @__PURE__ */ z.lazy(() =>
  z.object({
    /** Only the id of a key: no key can name a user or a service. */
    sub: z.string().refine((id) => principalKind(id) === 'api_key'),
    root: z.string().optional(),
    org: orgid,
    ws: z.union([z.literal('*'), z.array(workspaceid).min(1).max(50)]),
    scope: z.string(),
    /** False only in keys that were issued offline: a key without this claim must have an item. */
    reg: z.boolean().default(true),
    exp: z.number(),
  }),
);

export interface ApiKeyRequest {
  /** `key_` and the id under which logs know the key. */
  readonly id: string;
  /** The root of its creator; none for a key that is issued offline. */
  readonly root?: string;
  readonly orgid: string;
  readonly workspaces: readonly string[] | '*';
  readonly scopes: readonly Permission[];
  /** Seconds since 1970. */
  readonly issuedAt: number;
  /** Seconds; a year at most. */
  readonly lifetimeSeconds: number;
  /** Has an item in the control table and is good only with it; else it is issued offline. */
  readonly isRegistered?: boolean;
}

export async function issueApiKey(request: ApiKeyRequest): Promise<string> {
  if (request.lifetimeSeconds > yearSeconds) throw new Error('An API key lives a year at most.');
  const jws = await signJws(
    { typ },
    JSON.stringify({
      iss: issuer(),
      aud: audience,
      sub: request.id,
      jti: request.id,
      ...(request.root !== undefined && { root: request.root }),
      org: request.orgid,
      ws: request.workspaces,
      scope: request.scopes.join(' '),
      reg: request.isRegistered === true,
      iat: request.issuedAt,
      exp: request.issuedAt + request.lifetimeSeconds,
    }),
  );
  return `${jws.protected}.${jws.payload}.${jws.signature}`;
}

const memory = rememberTokens(async (token) => {
  const { caller, isRegistered, expiresAt } = await verify(token);
  const inForce = await readKeyInForce({ id: caller.id, isRegistered }, new Date());
  return { id: caller.id, caller: inForce && (await limitToRoot(caller, inForce.created_at)), expiresAt };
});

/** Every reason for refusal looks the same to the caller. */
export const verifyApiKey = memory.verify;

/** Makes this process ask again about a key. */
export const forgetApiKey = memory.forget;

/** The same about the keys that go back to a user. */
export const forgetApiKeysOf = memory.forgetAllOf;

async function verify(token: string): Promise<{ caller: Caller; isRegistered: boolean; expiresAt: number }> {
  const { sub, root, org, ws, scope, reg, exp } = await verifyOwnJwt(token, {
    typ,
    issuer: issuer(),
    audience,
    requiredClaims: ['sub', 'org', 'ws', 'scope', 'exp', 'iat'],
    claims,
  });
  const scopes = new Set(permissions.filter((permission) => scope.split(' ').includes(permission)));
  return {
    caller: {
      id: sub,
      ...(root !== undefined && { root }),
      orgid: org,
      workspaces: ws === '*' ? '*' : new Set(ws),
      scopes,
      expiresAt: exp,
    },
    isRegistered: reg,
    expiresAt: exp,
  };
}
