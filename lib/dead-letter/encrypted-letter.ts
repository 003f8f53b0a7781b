// The event of a dead letter, and its beginning that lists show: encrypted like what else callers send.
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { type AttributeKey, decryptCallerData, encryptCallerData } from '#lib/run/caller-data.ts';
import type { StoredDeadLetter } from '#lib/run/dead-letter.ts';
import { type LetterPlace, letterKey } from '#lib/run/dead-letter-keys.ts';

interface Named extends LetterPlace {
  readonly id: string;
}

const attributeOf = ({ orgid, workspaceid, id }: Named, attribute: 'body' | 'preview'): AttributeKey => ({
  orgid,
  workspaceid,
  ...letterKey({ orgid, workspaceid }, id),
  attribute,
});

/** Compressed, too, since a message may have a megabyte and an item 400 KB: SQS takes emoji in 12 bytes, of which the sender wrote 4. */
export async function encryptLetter(
  letter: Named,
  { body, preview }: { readonly body: string; readonly preview: string },
): Promise<{ readonly body: Uint8Array; readonly preview: Uint8Array }> {
  return {
    body: await encryptCallerData(attributeOf(letter, 'body'), body),
    preview: await encryptCallerData(attributeOf(letter, 'preview'), preview),
  };
}

/** The message as it came. */
export async function bodyOf(letter: StoredDeadLetter): Promise<string> {
  const { body } = letter;
  if (!body) throw new Error('A dead letter that was dismissed has no message any more.');
  if (isZstd(body)) return (await decompress(body, { maxOutputLength: bodyBytesMax })).toString();
  return await decryptCallerData(attributeOf(letter, 'body'), body);
}

export const previewOf = async (letter: StoredDeadLetter): Promise<string> =>
  await decryptCallerData(attributeOf(letter, 'preview'), letter.preview);

const decompress = promisify(zstdDecompress);
/** SQS takes no more. */
const bodyBytesMax = 1024 ** 2;
/** The first bytes of what an earlier version of the service has stored, compressed alone (RFC 8878 §3.1.1). */
const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const isZstd = (bytes: Uint8Array): boolean => zstdMagic.equals(bytes.subarray(0, zstdMagic.length));
