// SHA-256 and HMAC-SHA-256 in the form in which the AWS SDK takes them (`sha256` of a client), by Node's crypto module.
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

type Bytes = string | ArrayBuffer | ArrayBufferView;

/**
 * An HMAC where it is made with a key. The class of the SDK imports the key for each HMAC and copies each hash before it
 * reads it; of the CPU time of a call that is a tenth.
 */
export class Sha256 {
  private readonly key: KeyObject | string | undefined;
  private parts: Uint8Array[] = [];

  constructor(key?: Bytes) {
    this.key = key === undefined ? undefined : importKey(key);
  }

  update(part: Uint8Array): void {
    this.parts.push(part);
  }

  async digest(): Promise<Uint8Array> {
    const [first] = this.parts;
    const bytes = first && this.parts.length === 1 ? first : Buffer.concat(this.parts);
    return this.key !== undefined
      ? createHmac('sha256', this.key).update(bytes).digest()
      : hash('sha256', bytes, 'buffer');
  }

  reset(): void {
    this.parts = [];
  }
}

/** The signer keeps the key of a day and gives the same bytes for each request. It does not change them. */
const importedKeys = new WeakMap<object, KeyObject>();

/** A secret as text takes no longer without its import, and is not kept here. */
function importKey(key: Bytes): KeyObject | string {
  if (typeof key === 'string') return key;
  const known = importedKeys.get(key);
  if (known) return known;
  const imported = createSecretKey(toBuffer(key));
  importedKeys.set(key, imported);
  return imported;
}

const toBuffer = (key: ArrayBuffer | ArrayBufferView): Buffer =>
  key instanceof ArrayBuffer ? Buffer.from(key) : Buffer.from(key.buffer, key.byteOffset, key.byteLength);
