// API keys: ES256 JWTs signed by the tenant's signing key. Rules of RFC 8725: one algorithm, one issuer, one
// audience, one `typ`, and no key, URL or algorithm is ever taken from the token.
import { hash as digest } from 'node:crypto';
import { errors, importJWK, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { requireEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';
import { orgid, workspaceid } from '#lib/ids.ts';
import { repeatedNames } from '#lib/json/duplicate-keys.ts';
import type { Caller } from './caller.ts';
import { isInForce } from './key-in-force.ts';
import { type Permission, permissions } from './permission.ts';
import { type PublicJwk, publishedKey, signJws } from './signer.ts';

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
  /** False only in keys that were issued offline: a key without this claim must have an item. */
  reg: z.boolean().default(true),
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

/**
 * A revoked key is refused everywhere after this and the time of a request: below the 60 s that are promised.
 */
const rememberedMs = 45_000;

/**
 * Callers of tokens already checked by this process, by hash, undefined for revoked ones: a repeated key
 * costs one SHA-256 and no call.
 */
const remembered = new LRUCache<string, { readonly id: string; readonly caller: Caller | undefined }>({
  max: 1_000,
  ttl: rememberedMs,
  ttlResolution: 0,
  perf: { now: () => Date.now() },
});

/** Every reason for refusal looks the same to the caller; the cause is for the log. */
export async function verifyApiKey(token: string): Promise<Caller> {
  const hash = digest('sha256', token, 'base64');
  const { caller } = remembered.get(hash) ?? (await check(token, hash));
  if (caller) return caller;
  throw new ServiceError('unauthenticated', { cause: 'The key is revoked or not registered.' });
}

/** Makes this process ask again about a key. */
export function forgetApiKey(id: string): void {
  for (const [hash, known] of remembered.entries()) if (known.id === id) remembered.delete(hash);
}

/** Checks the signature first, so that no other token causes a read. */
async function check(token: string, hash: string): Promise<{ readonly caller: Caller | undefined }> {
  const { caller, isRegistered, expiresAt } = await verify(token);
  const now = new Date();
  const isGood = await isInForce({ id: caller.id, isRegistered }, now);
  const known = { id: caller.id, caller: isGood ? caller : undefined };
  const ttl = Math.min(rememberedMs, Math.max(1, expiresAt * 1_000 - now.getTime()));
  remembered.set(hash, known, { ttl });
  return known;
}

async function verify(token: string): Promise<{ caller: Caller; isRegistered: boolean; expiresAt: number }> {
  try {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      async ({ kid }) => await importJWK(await acceptedKey(kid), 'ES256'),
      {
        algorithms: ['ES256'],
        issuer: issuer(),
        audience,
        typ,
        clockTolerance: clockSkewSeconds,
        requiredClaims: ['sub', 'org', 'ws', 'scope', 'exp', 'iat'],
      },
    );
    requireKnownHeader(protectedHeader);
    requireNoRepetition(token);
    const { sub, org, ws, scope, reg, exp } = claims.parse(payload);
    const scopes = new Set(permissions.filter((permission) => scope.split(' ').includes(permission)));
    return {
      caller: { id: sub, orgid: org, workspaces: ws === '*' ? '*' : new Set(ws), scopes, expiresAt: exp },
      isRegistered: reg,
      expiresAt: exp,
    };
  } catch (cause) {
    if (!(cause instanceof errors.JOSEError) && !(cause instanceof z.ZodError)) throw cause;
    throw new ServiceError('unauthenticated', { cause });
  }
}

const headerParameters = new Set(['alg', 'typ', 'kid']);

/**
 * JWS lets a reader ignore parameters that it does not know, such as `zip`. Our keys have three; whatever
 * else there is was not made here.
 */
function requireKnownHeader(header: object): void {
  if (Object.keys(header).every((name) => headerParameters.has(name))) return;
  throw new errors.JWSInvalid('The header has parameters that keys do not have.');
}

/**
 * Where a member occurs twice, one reader takes the first and another the last (RFC 7515 §4, RFC 7519 §4).
 */
function requireNoRepetition(token: string): void {
  const [header = '', payload = ''] = token.split('.');
  const texts = [header, payload].map((part) => Buffer.from(part, 'base64url').toString());
  if (texts.every((text) => repeatedNames(text).length === 0)) return;
  throw new errors.JWTInvalid('A member of the header or a claim occurs twice.');
}

/** The key is selected by the id of one of our own keys, never by anything else in the token. */
async function acceptedKey(kid: string | undefined): Promise<PublicJwk> {
  const key = kid === undefined ? undefined : await publishedKey(kid);
  if (key) return key;
  throw new errors.JWKSNoMatchingKey();
}
