// What callers send to start or to continue a run, as tables store it: in an attribute that is encrypted
// under a data key of the workspace, and bound to the key of its item and the name of the attribute, so that
// bytes that were moved to another item do not decrypt.
import type { DataKeyCache } from './data-key-cache.ts';
import { requireEnv } from './env.ts';
import type { EncryptionContext } from './envelope.ts';
import { ServiceError } from './errors.ts';

/** A string in memory, and in items that an earlier version of the service has written. */
export type CallerData = string | Uint8Array;

/** The attribute that holds a text. */
export interface AttributeKey {
  /** The owner of the flow, or of the dead letter. */
  readonly orgid: string;
  readonly workspaceid: string;
  readonly pk: string;
  readonly sk: string;
  readonly attribute: string;
}

export async function encryptCallerData(key: AttributeKey, plain: string): Promise<Uint8Array> {
  const keys = await loadDataKeys();
  return await keys.encrypt(plain, encryptionContext(key), binding(key));
}

/** Throws `payload_unreadable` where the bytes were changed or moved. */
export async function decryptCallerData(key: AttributeKey, stored: CallerData): Promise<string> {
  if (typeof stored === 'string') return stored;
  const keys = await loadDataKeys();
  return await keys.decrypt(stored, encryptionContext(key), binding(key));
}

let dataKeys: DataKeyCache | undefined;

/** Most requests about runs have nothing to encrypt: the first that has loads the client of KMS. */
async function loadDataKeys(): Promise<DataKeyCache> {
  if (dataKeys) return dataKeys;
  const { createDataKeyCache } = await import('./data-key-cache.ts');
  dataKeys ??= createDataKeyCache();
  return dataKeys;
}

const encryptionContext = ({ orgid, workspaceid }: AttributeKey): EncryptionContext => ({
  tenant: requireEnv('TENANT_ID'),
  orgid,
  workspaceid,
  purpose: 'caller-data',
});

const binding = ({ pk, sk, attribute }: AttributeKey): EncryptionContext => ({ pk, sk, attribute });

/** For data that was decrypted before. */
export function requirePlain(data: CallerData): string {
  if (typeof data === 'string') return data;
  throw new ServiceError('internal', { cause: 'The data of the caller is still encrypted.' });
}
