// API keys: ES256 JWTs signed by the tenant's signing key. Rules of RFC 8725: one algorithm, one issuer, one audience, one `typ`, and
// no key, URL or algorithm is ever taken from the token.
import { createHash } from 'node:crypto';
import { errors, importJWK, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { requireEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';
import { orgid, workspaceid } from '#lib/ids.ts';
import type { Caller } from './caller.ts';
import { type Permission, permissions } from './permission.ts';
import { publicKey, signJws } from './signer.ts';

const typ = 'api-key+jwt';
const audience = 'urn:agent-flow:api';
/** Not the gateway URL: keys outlive a change of domain. */
const issuer = () => `urn:agent-flow:tenant:${requireEnv('TENANT_ID')}`;
const clockSkewSeconds = 5;
const yearSeconds = 365 * 86_400;

const claims = z.object({
  sub: z.string(),
  org: orgid,
  ws: z.union([z.literal('*'), z.array(workspaceid).min(1).max(50)]),
  scope: z.string(),
  exp: z.number(),
});

export interface ApiKeyRequest {
  /** `key_` and the id under which logs know the key. */
  readonly id: string;
  readonly orgid: string;
  readonly workspaces: readonly string[] | '*';
  readonly scopes: readonly Permission[];
  /** Seconds since 1970. */
  readonly issuedAt: number;
  /** Seconds; a year at most. */
  readonly lifetimeSeconds: number;
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
      org: request.orgid,
      ws: request.workspaces,
      scope: request.scopes.join(' '),
      iat: request.issuedAt,
      exp: request.issuedAt + request.lifetimeSeconds,
    }),
  );
  return `${jws.protected}.${jws.payload}.${jws.signature}`;
}

/** Tokens already verified by this process, by hash, each until it expires: a repeated key costs one SHA-256. */
const verified = new LRUCache<string, Caller>({ max: 1_000, ttl: 60_000 });

/** Every reason for refusal looks the same to the caller; the cause is for the log. */
export async function verifyApiKey(token: string): Promise<Caller> {
  const hash = createHash('sha256').update(token).digest('base64');
  const known = verified.get(hash);
  if (known) return known;
  const { caller, expiresAt } = await verify(token);
  verified.set(hash, caller, { ttl: Math.min(60_000, Math.max(1, expiresAt * 1_000 - Date.now())) });
  return caller;
}

async function verify(token: string): Promise<{ caller: Caller; expiresAt: number }> {
  const jwk = await publicKey();
  try {
    const { payload } = await jwtVerify(token, await importJWK(jwk, 'ES256'), {
      algorithms: ['ES256'],
      issuer: issuer(),
      audience,
      typ,
      clockTolerance: clockSkewSeconds,
      requiredClaims: ['sub', 'org', 'ws', 'scope', 'exp', 'iat'],
    });
    const { sub, org, ws, scope, exp } = claims.parse(payload);
    const scopes = new Set(permissions.filter((permission) => scope.split(' ').includes(permission)));
    return {
      caller: { id: sub, orgid: org, workspaces: ws === '*' ? '*' : new Set(ws), scopes },
      expiresAt: exp,
    };
  } catch (cause) {
    if (!(cause instanceof errors.JOSEError) && !(cause instanceof z.ZodError)) throw cause;
    throw new ServiceError('unauthenticated', { cause });
  }
}
