// What gets installed can be verified, and what is deployed may be: the lock file, its licences and the bill
// of materials.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { billOfDeployed } from '#lib/infra/bill-of-materials.ts';
import { deployed, forbiddenLicences, lockFile, unverified } from '#lib/infra/lock-file.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => JSON.parse(readFileSync(new URL(path, root), 'utf8'));
const real = lockFile.parse(read('package-lock.json'));

const integrity = `sha512-${'A'.repeat(86)}==`;
const newLock = (packages: object) =>
  lockFile.parse({ name: 'service', lockfileVersion: 3, packages: { '': {}, ...packages } });
const good = { version: '1.0.0', integrity, license: 'MIT' };

describe('the lock file', () => {
  it('lets npm verify every package', () => {
    expect(Object.keys(real.packages).length).toBeGreaterThan(300);
    expect(unverified(real)).toEqual([]);
  });

  it('deploys only packages with permissive licences', () => {
    expect(deployed(real).length).toBeGreaterThan(50);
    expect(forbiddenLicences(real)).toEqual([]);
  });

  it('has every package of package.json in exactly its version', () => {
    const { dependencies, devDependencies, optionalDependencies } = read('package.json');
    const named = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
    for (const [name, version] of named)
      expect(real.packages[`node_modules/${name}`]?.version).toBe(`${version}`.replace(/^npm:.*@/, ''));
    for (const [name, version] of Object.entries(dependencies))
      expect(deployed(real)).toContain(`${name}@${version}`);
  });
});

describe('the check finds', () => {
  it.each([
    ['a package without its hash', { 'node_modules/a': { ...good, integrity: undefined } }, 'a@1.0.0 has no'],
    ['one with a weak hash', { 'node_modules/a': { ...good, integrity: 'sha1-AAAA' } }, 'a@1.0.0 has no'],
    [
      'an optional one of another platform',
      { 'node_modules/@a/b': { version: '1.0.0', optional: true, dev: true } },
      '@a/b@1.0.0 has no',
    ],
    [
      'one that comes from elsewhere',
      { 'node_modules/a': { ...good, resolved: 'https://example.com/a.tgz' } },
      'comes from https://example.com/a.tgz',
    ],
  ])('%s', (_what, packages, words) => {
    expect(unverified(newLock(packages))).toEqual([expect.stringContaining(words)]);
  });

  it.each([
    ['another package with the licence of elkjs', 'a', 'EPL-2.0 OR GPL-3.0-or-later'],
    ['elkjs with another licence', 'elkjs', 'EPL-2.0'],
  ])('%s', (_what, name, license) => {
    const packages = { [`node_modules/${name}`]: { ...good, license } };
    expect(forbiddenLicences(newLock(packages))).toEqual([
      `node_modules/${name}@1.0.0 has the licence ${license}.`,
    ]);
  });

  it.each(['GPL-3.0-or-later', 'SEE LICENSE IN LICENSE', 'MIT AND GPL-2.0', undefined])(
    'a deployed package with the licence %s',
    (license) => {
      const packages = { 'node_modules/a/node_modules/@b/c': { ...good, license } };
      expect(forbiddenLicences(newLock(packages))).toEqual([expect.stringContaining('@b/c@1.0.0')]);
    },
  );

  it.each([
    ['a choice of licences', { license: '(MIT OR GPL-3.0-or-later)' }],
    ['several licences that are all allowed', { license: '(Apache-2.0 AND BSD-3-Clause)' }],
    ['a development package', { license: 'GPL-3.0-or-later', dev: true }],
    ['a package inside another’s archive', { integrity: undefined, inBundle: true }],
    ['the public registry', { resolved: 'https://registry.npmjs.org/a/-/a-1.0.0.tgz' }],
  ])('nothing wrong with %s', (_what, some) => {
    const lock = newLock({ 'node_modules/a': { ...good, ...some } });
    expect([...unverified(lock), ...forbiddenLicences(lock)]).toEqual([]);
  });
});

describe('the bill of materials', () => {
  const lock = newLock({
    'node_modules/zod': good,
    'node_modules/vitest': { ...good, dev: true },
    'node_modules/engine': { ...good, optional: true },
  });
  const component = (name: string) => ({ 'bom-ref': `${name}@1.0.0`, name });
  const all = {
    bomFormat: 'CycloneDX' as const,
    metadata: { component: component('folder') },
    components: ['zod', 'vitest', 'engine'].map(component),
    dependencies: [
      { ref: 'folder@1.0.0', dependsOn: ['zod@1.0.0', 'vitest@1.0.0', 'engine@1.0.0'] },
      { ref: 'vitest@1.0.0', dependsOn: ['zod@1.0.0'] },
      { ref: 'zod@1.0.0', dependsOn: [] },
    ],
  };

  it('lists exactly the deployed packages, also those that development packages use too', () => {
    expect(billOfDeployed(all, lock)).toEqual({
      ...all,
      metadata: { component: { ...component('folder'), name: 'service' } },
      components: [component('zod')],
      dependencies: [
        { ref: 'folder@1.0.0', dependsOn: ['zod@1.0.0'] },
        { ref: 'zod@1.0.0', dependsOn: [] },
      ],
    });
  });

  it('is refused if it would be incomplete', () => {
    const without = { ...all, components: all.components.slice(1) };
    expect(() => billOfDeployed(without, lock)).toThrow('zod@1.0.0');
  });
});
