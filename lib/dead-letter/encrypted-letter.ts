// Encrypts and decrypts the event of a dead letter, and the preview that lists show, as other data of
// callers.
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { type AttributeKey, decryptCallerData, encryptCallerData } from '#lib/caller-data.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import { letterKey, type StoredDeadLetter } from '#lib/run/dead-letter.ts';

interface LetterId extends WorkspaceScope {
  readonly id: string;
}

const attributeKey = ({ orgid, workspaceid, id }: LetterId, attribute: 'body' | 'preview'): AttributeKey => ({
  orgid,
  workspaceid,
  ...letterKey({ orgid, workspaceid }, id),
  attribute,
});

/**
 * Compresses the body too: a message may have 1 MB, an item 400 KB. SQS carries an emoji, which the sender
 * wrote in 4 bytes, in 12.
 */
export async function encryptLetter(
  letter: LetterId,
  { body, preview }: { readonly body: string; readonly preview: string },
): Promise<{ readonly body: Uint8Array; readonly preview: Uint8Array }> {
  return {
    body: await encryptCallerData(attributeKey(letter, 'body'), body),
    preview: await encryptCallerData(attributeKey(letter, 'preview'), preview),
  };
}

/** The message as it was received. */
export async function decryptBody(letter: StoredDeadLetter): Promise<string> {
  const { body } = letter;
  if (!body) throw new Error('A dismissed dead letter no longer has its message.');
  if (isZstd(body)) return (await decompress(body, { maxOutputLength: bodyBytesMax })).toString();
  return await decryptCallerData(attributeKey(letter, 'body'), body);
}

export const decryptPreview = async (letter: StoredDeadLetter): Promise<string> =>
  await decryptCallerData(attributeKey(letter, 'preview'), letter.preview);

const decompress = promisify(zstdDecompress);
/** The largest message of SQS. */
const bodyBytesMax = 1024 ** 2;
/**
 * The first bytes of bodies that an earlier version of the service stored compressed but not encrypted (RFC
 * 8878 §3.1.1).
 */
const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const isZstd = (bytes: Uint8Array): boolean => zstdMagic.equals(bytes.subarray(0, zstdMagic.length));
