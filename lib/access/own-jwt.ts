// Verifies JWTs that the tenant's signing key has signed. Rules of RFC 8725: one algorithm, one issuer, one audience,
// one `typ`, and no key, URL or algorithm is ever taken from the token.
import { errors, importJWK, type JWTVerifyOptions, jwtVerify } from 'jose';
import * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import { repeatedNames } from '#lib/json/duplicate-keys.ts';
import { type PublicJwk, publishedKey } from './signer.ts';

const clockSkewSeconds = 5;

interface Expected<C extends z.ZodType> extends Pick<JWTVerifyOptions, 'maxTokenAge'> {
  readonly typ: string;
  readonly issuer: string;
  /** One of these. */
  readonly audience: string | string[];
  readonly requiredClaims: string[];
  readonly claims: C;
}

/** Every reason for refusal looks the same to the caller; the cause is for the log. */
export async function verifyOwnJwt<C extends z.ZodType>(
  token: string,
  { claims, ...expected }: Expected<C>,
): Promise<z.output<C>> {
  try {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      async ({ kid }) => await importJWK(await acceptedKey(kid), 'ES256'),
      { algorithms: ['ES256'], clockTolerance: clockSkewSeconds, ...expected },
    );
    requireKnownHeader(protectedHeader);
    requireNoRepetition(token);
    return claims.parse(payload);
  } catch (cause) {
    if (!(cause instanceof errors.JOSEError) && !(cause instanceof z.ZodError)) throw cause;
    throw new ServiceError('unauthenticated', { cause });
  }
}

const headerParameters = new Set(['alg', 'typ', 'kid']);

/**
 * JWS lets a reader ignore parameters that it does not know, such as `zip`. Our tokens have three; whatever
 * else there is was not made here.
 */
function requireKnownHeader(header: object): void {
  if (Object.keys(header).every((name) => headerParameters.has(name))) return;
  throw new errors.JWSInvalid('The header has parameters that our tokens do not have.');
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
