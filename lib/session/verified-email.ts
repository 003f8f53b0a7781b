// Which e-mail address of a person counts: one that the provider has verified. Amazon Cognito does not say so of people
// who come from a provider without `email_verified`; there the tenant file names domains for which that provider answers.
import * as z from 'zod';
import { optionalEnv } from '#lib/env.ts';

/** JSON of the variable: domains by the name of the provider. */
const domainsByProvider = z.record(z.string(), z.array(z.string()));

/**
 * The ID token of a person whom Cognito knows from exactly one other provider. A person with a password or code of the
 * pool, to whom such an identity is linked, has another user name.
 */
const federated = z.looseObject({
  'cognito:username': z.string(),
  identities: z.tuple([z.looseObject({ providerName: z.string() })]),
});

/** In lower case; see `toLowerCaseAscii`. */
export function findVerifiedEmail(claims: Readonly<Record<string, unknown>>): string | undefined {
  const { email, email_verified } = claims;
  if (typeof email !== 'string' || email.length > 254) return undefined;
  const address = toLowerCaseAscii(email.trim());
  return email_verified === true || isAnsweredFor(address, claims) ? address : undefined;
}

/**
 * Unicode has letters outside ASCII whose lower case is an ASCII letter, such as U+212A (Kelvin sign) for `k`. An address
 * with one of them is another address, which can belong to somebody else.
 */
const toLowerCaseAscii = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

function isAnsweredFor(address: string, claims: Readonly<Record<string, unknown>>): boolean {
  const configured = optionalEnv('SIGN_IN_EMAIL_DOMAINS');
  const person = federated.safeParse(claims).data;
  if (configured === undefined || !person) return false;
  const [{ providerName }] = person.identities;
  const userName = person['cognito:username'].toLowerCase();
  if (!userName.startsWith(`${providerName.toLowerCase()}_`)) return false;
  const [, domain = '', ...more] = address.split('@');
  const domains = domainsByProvider.parse(JSON.parse(configured));
  return (
    more.length === 0 &&
    Object.hasOwn(domains, providerName) &&
    domains[providerName]?.includes(domain) === true
  );
}
