// The ciphertexts of the local KMS: AES-256-GCM, with the encryption context as additional authenticated
// data.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { KmsError } from './kms-error.ts';

/**
 * magic (4) | key id (16) | iv (12) | tag (16) | padding (104) | ciphertext. With the padding a data key has the
 * 184 bytes that it has from KMS, so that items have the sizes, and the costs, that they have on AWS.
 */
const magic = Buffer.from('LKM2');
const headerBytes = 4 + 16 + 12 + 16;
const padding = Buffer.alloc(104);
/** Without padding. */
const formerMagic = Buffer.from('LKM1');

export type EncryptionContext = Readonly<Record<string, string>>;

export function encrypt(key: Buffer, keyId: string, plaintext: Buffer, context: EncryptionContext): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(canonical(context));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([
    magic,
    Buffer.from(keyId.replaceAll('-', ''), 'hex'),
    iv,
    cipher.getAuthTag(),
    padding,
    ciphertext,
  ]);
}

/** The id of the key that encrypted a blob: Decrypt does not need it as a parameter. */
export function readKeyId(blob: Buffer): string {
  if (blob.length < headerBytes || !(isPadded(blob) || blob.subarray(0, 4).equals(formerMagic)))
    throw invalid();
  return blob.toString('hex', 4, 20).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export function decrypt(key: Buffer, blob: Buffer, context: EncryptionContext): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(20, 32)).setAAD(canonical(context));
  decipher.setAuthTag(blob.subarray(32, headerBytes));
  const ciphertextStart = headerBytes + (isPadded(blob) ? padding.length : 0);
  if (isPadded(blob) && !blob.subarray(headerBytes, ciphertextStart).equals(padding)) throw invalid();
  try {
    return Buffer.concat([decipher.update(blob.subarray(ciphertextStart)), decipher.final()]);
  } catch {
    throw invalid();
  }
}

const isPadded = (blob: Buffer) => blob.subarray(0, 4).equals(magic);

function invalid(): KmsError {
  return new KmsError('InvalidCiphertextException', 'The ciphertext or its encryption context is not valid');
}

/** Sorted, because the order of an encryption context does not matter. */
function canonical(context: EncryptionContext): Buffer {
  const pairs = Object.entries(context).sort(([left], [right]) => (left < right ? -1 : 1));
  return Buffer.from(JSON.stringify(pairs));
}
