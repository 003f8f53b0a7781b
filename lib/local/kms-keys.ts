// The key material of the local KMS: created on first use, stored in one file that only its owner may read,
// found by id, ARN or alias.
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { arn } from './account.ts';
import { KmsError } from './kms-error.ts';

export const keySpecs = ['SYMMETRIC_DEFAULT', 'ECC_NIST_P256', 'HMAC_256'] as const;
export const keyUsages = ['ENCRYPT_DECRYPT', 'SIGN_VERIFY', 'GENERATE_VERIFY_MAC'] as const;

const storedKey = z.object({
  id: z.string(),
  spec: z.enum(keySpecs),
  usage: z.enum(keyUsages),
  createdAt: z.number(),
  /** Base64: 32 bytes for a symmetric or an HMAC key, PKCS#8 for a key pair. */
  material: z.string(),
});
type StoredKey = z.output<typeof storedKey>;

export type Key = Omit<StoredKey, 'material'> & { readonly arn: string; readonly material: KeyMaterial };
type KeyMaterial =
  | { readonly kind: 'secret' | 'mac'; readonly bytes: Buffer }
  | { readonly kind: 'pair'; readonly privateKey: KeyObject };
type NewKey = Pick<StoredKey, 'id' | 'spec' | 'usage'>;

export type Keys = {
  readonly create: (key: NewKey) => Key;
  readonly alias: (name: string, id: string) => void;
  /** By key id, key ARN, alias name or alias ARN. */
  readonly find: (reference: string) => Key;
  readonly isDisabled: (key: Key) => boolean;
  readonly setDisabled: (reference: string, disabled: boolean) => void;
};

export function openKeys(file: string | undefined): Keys {
  const stored = new Map(read(file).map((key) => [key.id, key]));
  const keys = new Map([...stored.values()].map((key) => [key.id, open(key)]));
  const aliases = new Map<string, string>();
  const disabled = new Set<string>();
  const find = (reference: string) => {
    const name = reference.replace(/^arn:[^:]*:kms:[^:]*:[^:]*:(?:key\/)?/, '');
    const key = keys.get(aliases.get(name) ?? name);
    if (!key) throw new KmsError('NotFoundException', `Key '${arn('kms', `key/${name}`)}' does not exist`);
    return key;
  };
  const create = (wanted: NewKey) => {
    const existing = keys.get(wanted.id);
    if (existing) return existing;
    const made = { ...wanted, createdAt: Date.now(), material: newMaterial(wanted.spec) };
    stored.set(made.id, made);
    write(file, [...stored.values()]);
    const key = open(made);
    keys.set(key.id, key);
    return key;
  };
  return {
    create,
    find,
    alias: (name, id) => void aliases.set(name, find(id).id),
    isDisabled: (key) => disabled.has(key.id),
    setDisabled: (reference, to) => void disabled[to ? 'add' : 'delete'](find(reference).id),
  };
}

function newMaterial(spec: StoredKey['spec']): string {
  if (spec !== 'ECC_NIST_P256') return randomBytes(32).toString('base64');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
}

function open({ material, ...key }: StoredKey): Key {
  const bytes = Buffer.from(material, 'base64');
  const opened: KeyMaterial =
    key.spec === 'ECC_NIST_P256'
      ? { kind: 'pair', privateKey: createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' }) }
      : { kind: key.spec === 'HMAC_256' ? 'mac' : 'secret', bytes };
  return { ...key, arn: arn('kms', `key/${key.id}`), material: opened };
}

function read(file: string | undefined): StoredKey[] {
  if (!file || !existsSync(file)) return [];
  try {
    return z.array(storedKey).parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new Error(`The local keys in ${file} cannot be read; "npm run reset" deletes them.`, { cause });
  }
}

/**
 * Renames a new file, so that a crash leaves the old or the new one: without the keys, all encrypted data is
 * lost.
 */
function write(file: string | undefined, keys: readonly StoredKey[]): void {
  if (!file) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
