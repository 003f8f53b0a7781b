// Reads the lock file: whether npm can verify each package, which packages are deployed, and their licences.
import * as z from 'zod';

const entry = z.looseObject({
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  license: z.string().optional(),
  dev: z.boolean().optional(),
  optional: z.boolean().optional(),
  /** A tool for development needs it, and a deployed package could use it, which no function has it do. */
  devOptional: z.boolean().optional(),
  /** Part of the archive of another package, whose integrity covers it. */
  inBundle: z.boolean().optional(),
});
export const lockFile = z.object({
  name: z.string(),
  lockfileVersion: z.literal(3),
  packages: z.record(z.string(), entry),
});
export type LockFile = z.infer<typeof lockFile>;

/** The permissive licences that deployed packages may have. With `OR` one of them is enough, and `AND` requires all. */
const allowedLicences = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]);

/**
 * Packages with another licence, each for a use that its licence allows. elkjs is served to browsers as a file of its
 * own, unmodified, with its licence and the address of its source (docs/decisions/0063-pictures-in-the-console.md).
 */
const exceptions: ReadonlyMap<string, string> = new Map([['elkjs', 'EPL-2.0 OR GPL-3.0-or-later']]);

const registry = 'https://registry.npmjs.org/';
const sha512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** Describes packages that npm cannot verify: those without a SHA-512 hash or from another registry. */
export function unverified(lock: LockFile): string[] {
  return installed(lock).flatMap(([path, { version, integrity, resolved, inBundle }]) => [
    ...(inBundle || sha512.test(integrity ?? '') ? [] : [`${path}@${version} has no SHA-512 integrity.`]),
    ...(resolved === undefined || resolved.startsWith(registry)
      ? []
      : [`${path}@${version} comes from ${resolved}.`]),
  ]);
}

/** The deployed packages as `name@version`. Optional packages are for the local host only. */
export const deployed = (lock: LockFile): string[] => [
  ...new Set(deployedEntries(lock).map(([path, { version }]) => `${packageName(path)}@${version}`)),
];

export function forbiddenLicences(lock: LockFile): string[] {
  return deployedEntries(lock)
    .filter(
      ([path, { license = '' }]) => !isAllowed(license) && exceptions.get(packageName(path)) !== license,
    )
    .map(([path, { version, license }]) => `${path}@${version} has the licence ${license ?? '(none)'}.`);
}

const isAllowed = (licence: string): boolean =>
  licence
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((each) => each.split(' AND ').every((part) => allowedLicences.has(part)));

const installed = ({ packages }: LockFile) => Object.entries(packages).filter(([path]) => path !== '');

const deployedEntries = (lock: LockFile) =>
  installed(lock).filter(([, { dev, optional, devOptional }]) => !dev && !optional && !devOptional);

/** `node_modules/a/node_modules/@b/c` is the package `@b/c`. */
const packageName = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
