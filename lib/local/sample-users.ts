// The people who can sign in locally: three samples, each with a role in the sample organisation, and whoever else types
// an e-mail address, to try invitations.
import type { Role } from '#lib/access/role.ts';

export interface LocalUser {
  readonly sub: string;
  readonly name: string;
  readonly email: string;
  readonly email_verified: boolean;
}

export const sampleUsers: readonly (LocalUser & { readonly role: Role })[] = [
  { sub: 'owner', name: 'Olive Owner', role: 'owner' },
  { sub: 'builder', name: 'Ben Builder', role: 'builder' },
  { sub: 'caller', name: 'Cara Caller', role: 'caller' },
].map((user) => ({
  ...user,
  role: user.role as Role,
  email: `${user.sub}@example.com`,
  email_verified: true,
}));

const unverified = 'unverified:';

/** The `sub` of somebody who types an address. */
export const toSub = (email: string, isVerified: boolean): string =>
  `${isVerified ? '' : unverified}${email}`;

export function findLocalUser(sub: string): LocalUser {
  const sample = sampleUsers.find((user) => user.sub === sub);
  if (sample) return sample;
  const email_verified = !sub.startsWith(unverified);
  const email = email_verified ? sub : sub.slice(unverified.length);
  return { sub, name: email.split('@')[0] ?? email, email, email_verified };
}
