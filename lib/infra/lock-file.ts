// What the lock file says of the packages that get installed: whether npm can verify each of them, which of them are deployed, and under
// which licences those are.
import * as z from 'zod';

const entry = z.looseObject({
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  license: z.string().optional(),
  dev: z.boolean().optional(),
  optional: z.boolean().optional(),
  /** It comes inside the archive of another package, whose integrity covers it. */
  inBundle: z.boolean().optional(),
});
export const lockFile = z.object({
  name: z.string(),
  lockfileVersion: z.literal(3),
  packages: z.record(z.string(), entry),
});
export type LockFile = z.infer<typeof lockFile>;

/** The licences that what we deploy may have: all of them permissive. `OR` lets us choose, `AND` does not occur. */
const allowedLicences = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
]);

const registry = 'https://registry.npmjs.org/';
const sha512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** What npm could not verify, in words: an archive without its SHA-512, or one that comes from elsewhere than the public registry. */
export function unverified(lock: LockFile): string[] {
  return installed(lock).flatMap(([path, { version, integrity, resolved, inBundle }]) => [
    ...(inBundle || sha512.test(integrity ?? '') ? [] : [`${path}@${version} has no SHA-512 integrity.`]),
    ...(resolved === undefined || resolved.startsWith(registry)
      ? []
      : [`${path}@${version} comes from ${resolved}.`]),
  ]);
}

/** Packages that are part of what is deployed, as `name@version`; optional ones are for the local host alone. */
export const deployed = (lock: LockFile): string[] => [
  ...new Set(deployedEntries(lock).map(([path, { version }]) => `${nameOf(path)}@${version}`)),
];

export function forbiddenLicences(lock: LockFile): string[] {
  return deployedEntries(lock)
    .filter(([, { license }]) => !isAllowed(license))
    .map(([path, { version, license }]) => `${path}@${version} has the licence ${license ?? '(none)'}.`);
}

const isAllowed = (licence = ''): boolean =>
  licence
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((each) => allowedLicences.has(each));

const installed = ({ packages }: LockFile) => Object.entries(packages).filter(([path]) => path !== '');

const deployedEntries = (lock: LockFile) =>
  installed(lock).filter(([, { dev, optional }]) => dev !== true && optional !== true);

/** `node_modules/a/node_modules/@b/c` is the package `@b/c`. */
const nameOf = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
