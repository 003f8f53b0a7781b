// What callers send to start or to continue a run, as the runs table keeps it: encrypted under a data key of the workspace, and bound to the key
// of its item and the name of its attribute, so that bytes that were moved to another run or item do not decrypt.
import { createDataKeyCache } from '#lib/data-key-cache.ts';
import { requireEnv } from '#lib/env.ts';
import type { EncryptionContext } from '#lib/envelope.ts';

/** Where a text is kept. */
export interface AttributeKey {
  /** Of the flow, or of the dead letter. */
  readonly orgid: string;
  readonly workspaceid: string;
  readonly pk: string;
  readonly sk: string;
  readonly attribute: string;
}

/** A string in memory, and in items that an earlier version of the service has written. */
export type CallerData = string | Uint8Array;

const keys = createDataKeyCache();

export async function encryptCallerData(at: AttributeKey, plain: string): Promise<Uint8Array> {
  return await keys.encrypt(plain, contextOf(at), bindingOf(at));
}

/** Throws `payload_unreadable` where the bytes were changed or moved. */
export async function decryptCallerData(at: AttributeKey, stored: CallerData): Promise<string> {
  return typeof stored === 'string' ? stored : await keys.decrypt(stored, contextOf(at), bindingOf(at));
}

const contextOf = ({ orgid, workspaceid }: AttributeKey): EncryptionContext => ({
  tenant: requireEnv('TENANT_ID'),
  orgid,
  workspaceid,
  purpose: 'caller-data',
});

const bindingOf = ({ pk, sk, attribute }: AttributeKey): EncryptionContext => ({ pk, sk, attribute });
