// The kinds of credentials, where a request carries each, and who verifies it. A new kind is one row and one verifier.
import { ServiceError } from '#lib/errors.ts';
import { verifyApiKey } from './api-key.ts';
import type { Caller } from './caller.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** Header names are lower case, as the header normalizer leaves them. */
const credentialTable = {
  apiKey: {
    read: (headers: Headers) => headers['x-api-key'],
    verify: verifyApiKey,
    place: 'X-API-Key',
  },
  bearer: {
    read: (headers: Headers) => /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1],
    verify: verifyApiKey,
    place: 'Authorization: Bearer',
  },
} as const;

export type CredentialKind = keyof typeof credentialTable;

/** Undefined for a request without credentials where none are needed. The first accepted kind that is present decides; a bad credential never falls through to the next kind. */
export async function authenticate(
  accepted: readonly CredentialKind[],
  headers: Headers,
  isOptional = false,
): Promise<Caller | undefined> {
  for (const kind of accepted) {
    const token = credentialTable[kind].read(headers);
    if (token !== undefined) return await credentialTable[kind].verify(token);
  }
  if (isOptional || accepted.length === 0) return undefined;
  throw new ServiceError('unauthenticated', { cause: 'No credentials.' });
}

/** What callers are told who are not let in, whatever the reason, so that none can be told from another. */
export function credentialsWanted(accepted: readonly CredentialKind[]): string {
  const places = accepted.map((kind) => credentialTable[kind].place).join(' or ');
  return `Send a valid API key in ${places}: complete, not expired or revoked, and issued by this service.`;
}
