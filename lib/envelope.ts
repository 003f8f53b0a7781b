// Envelope encryption of what must not be readable in the tables: flow payloads and engine snapshots. A fresh
// KMS data key per write; AES-256-GCM with the encryption context as associated data; a commitment to the
// key, since GCM alone decrypts under several keys. Format: magic "AF", version, codec, wrapped key (length,
// bytes), IV, commitment, ciphertext, tag.
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { DecryptCommand, GenerateDataKeyCommand } from '@aws-sdk/client-kms';
import { isTransientFailure } from '#lib/aws.ts';
import { requireEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';
import { kms } from '#lib/kms.ts';
import { compress, decompress } from './zstd.ts';

/** Bound to the bytes: decryption under any other context fails. */
export type EncryptionContext = Readonly<Record<string, string>>;

const magic = Buffer.from('AF');
const version = 1;
const zstd = 1;
const ivBytes = 12;
const commitmentBytes = 32;
const tagBytes = 16;
/**
 * Above the largest value ever encrypted (a snapshot of 4 MB), so that a crafted frame cannot fill the
 * memory.
 */
const plainBytesMax = 8_000_000;

/** One KMS call (GenerateDataKey). */
export async function encrypt(plain: string, context: EncryptionContext): Promise<Uint8Array> {
  return await encryptWith(await newDataKey(context), plain, context);
}

/**
 * Encrypts many messages under one context with one KMS call, for a writer that lives no longer than a run:
 * each message has its own IV and derived keys.
 */
export function createEncryptor(context: EncryptionContext): (plain: string) => Promise<Uint8Array> {
  let key: Promise<DataKey> | undefined;
  return async (plain) => {
    key ??= newDataKey(context);
    return await encryptWith(await key, plain, context);
  };
}

/** An AES-256 key, in plaintext and as KMS has encrypted it. */
export interface DataKey {
  readonly plain: Uint8Array;
  readonly wrapped: Uint8Array;
}

/** One KMS call (GenerateDataKey). */
export async function newDataKey(context: EncryptionContext): Promise<DataKey> {
  const { Plaintext, CiphertextBlob } = await kms.send(
    new GenerateDataKeyCommand({
      KeyId: requireEnv('FLOW_KEY_ID'),
      KeySpec: 'AES_256',
      EncryptionContext: { ...context },
    }),
  );
  if (!Plaintext || !CiphertextBlob) throw new Error('KMS returned no data key.');
  return { plain: Plaintext, wrapped: CiphertextBlob };
}

/**
 * `context` is what the bytes are bound to: the context of the data key, and what distinguishes the messages
 * under one key.
 */
export async function encryptWith(
  key: DataKey,
  plain: string,
  context: EncryptionContext,
): Promise<Uint8Array> {
  const iv = randomBytes(ivBytes);
  const keys = deriveKeys(key.plain, iv);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(key.wrapped.length);
  const packed = await compress(plain);
  const header = Buffer.concat([magic, Buffer.of(version, zstd), length, key.wrapped, iv, keys.commitment]);
  const cipher = createCipheriv('aes-256-gcm', keys.encryption, iv).setAAD(associated(header, context));
  return Buffer.concat([header, cipher.update(packed), cipher.final(), cipher.getAuthTag()]);
}

/**
 * One KMS call (Decrypt). Throws `payload_unreadable` when the bytes were not encrypted under this context.
 */
export async function decrypt(envelope: Uint8Array, context: EncryptionContext): Promise<string> {
  return await decryptWith((wrappedKey) => decryptDataKey(wrappedKey, context), envelope, context);
}

/** `unwrap` returns a copy of the data key, which is overwritten after use. */
export async function decryptWith(
  unwrap: (wrappedKey: Uint8Array) => Promise<Uint8Array>,
  envelope: Uint8Array,
  context: EncryptionContext,
): Promise<string> {
  const parts = split(Buffer.from(envelope));
  const dataKey = await unwrap(parts.wrappedKey);
  const keys = deriveKeys(dataKey, parts.iv);
  dataKey.fill(0);
  if (!timingSafeEqual(keys.commitment, parts.commitment))
    throw unreadable('The key commitment does not match.');
  try {
    const decipher = createDecipheriv('aes-256-gcm', keys.encryption, parts.iv);
    decipher.setAAD(associated(parts.header, context)).setAuthTag(parts.tag);
    const packed = Buffer.concat([decipher.update(parts.body), decipher.final()]);
    return (await decompress(packed, { maxOutputLength: plainBytesMax })).toString('utf8');
  } catch (cause) {
    throw unreadable(cause);
  }
}

/** One KMS call (Decrypt). */
export async function decryptDataKey(
  wrappedKey: Uint8Array,
  context: EncryptionContext,
): Promise<Uint8Array> {
  try {
    const { Plaintext } = await kms.send(
      new DecryptCommand({
        KeyId: requireEnv('FLOW_KEY_ID'),
        CiphertextBlob: wrappedKey,
        EncryptionContext: { ...context },
      }),
    );
    if (!Plaintext) throw new Error('KMS returned no data key.');
    return Plaintext;
  } catch (cause) {
    if (isTransientFailure(cause)) throw new ServiceError('dependency_unavailable', { cause });
    throw unreadable(cause);
  }
}

function split(envelope: Buffer) {
  const keyEnd = 6 + (envelope.length > 6 ? envelope.readUInt16BE(4) : 0);
  const headerEnd = keyEnd + ivBytes + commitmentBytes;
  if (
    !envelope.subarray(0, 2).equals(magic) ||
    envelope[2] !== version ||
    envelope[3] !== zstd ||
    envelope.length < headerEnd + tagBytes
  ) {
    throw unreadable('The envelope is not of a known form.');
  }
  return {
    header: envelope.subarray(0, headerEnd),
    wrappedKey: envelope.subarray(6, keyEnd),
    iv: envelope.subarray(keyEnd, keyEnd + ivBytes),
    commitment: envelope.subarray(keyEnd + ivBytes, headerEnd),
    body: envelope.subarray(headerEnd, envelope.length - tagBytes),
    tag: envelope.subarray(envelope.length - tagBytes),
  };
}

/**
 * Two keys for one message: one encrypts it, one proves which key that was. As key objects, because those of raw bytes
 * take Node.js three times as long; their memory is overwritten when it is freed.
 */
function deriveKeys(dataKey: Uint8Array, salt: Uint8Array) {
  const key = createSecretKey(dataKey);
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', key, salt, `agent-flow/v1/${purpose}`, 32));
  return { encryption: toKeyObject(derive('encrypt')), commitment: derive('commit') };
}

function toKeyObject(bytes: Buffer): KeyObject {
  const key = createSecretKey(bytes);
  bytes.fill(0);
  return key;
}

function associated(header: Uint8Array, context: EncryptionContext): Buffer {
  const pairs = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.concat([header, Buffer.from(JSON.stringify(pairs))]);
}

const unreadable = (cause: unknown) => new ServiceError('payload_unreadable', { cause });
