// The sealed file of an archive: lines, compressed with zstd, encrypted in the format age (age-encryption.org/v1), which
// authenticates each 64 KiB and the end of the file. `age --decrypt file | zstd --decompress` reads it too.
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { Decrypter, Encrypter } from 'age-encryption';

/** Who can open the archive: whoever has an identity of the recipients, or knows the passphrase. */
export type Lock = { readonly recipients: readonly string[] } | { readonly passphrase: string };
export type Opener = { readonly identities: readonly string[] } | { readonly passphrase: string };

/** Throws for a recipient that is none. */
export function createEncrypter(lock: Lock): Encrypter {
  const encrypter = new Encrypter();
  if ('passphrase' in lock) encrypter.setPassphrase(lock.passphrase);
  else for (const each of lock.recipients) encrypter.addRecipient(each);
  return encrypter;
}

/** Memory does not grow with the lines. */
export async function writeSealed(
  file: string,
  encrypter: Encrypter,
  lines: AsyncIterable<string>,
): Promise<void> {
  const packed = Readable.from(lines).pipe(createZstdCompress());
  const sealed = await encrypter.encrypt(toWeb(packed));
  await pipeline(fromWeb(sealed), createWriteStream(file, { mode: 0o600, flags: 'wx' }));
}

/** Rejects for a file that was changed or cut, or that the opener does not open. */
export async function* readSealed(file: string, opener: Opener): AsyncGenerator<string, void> {
  const decrypter = new Decrypter();
  if ('passphrase' in opener) decrypter.addPassphrase(opener.passphrase);
  else for (const each of opener.identities) decrypter.addIdentity(each);
  const opened = await decrypter.decrypt(toWeb(createReadStream(file)));
  const unpacked = createZstdDecompress();
  const piped = pipeline(fromWeb(opened), unpacked);
  // The reader of the lines sees the failure, too.
  piped.catch((error: Error) => unpacked.destroy(error));
  yield* createInterface({ input: unpacked, crlfDelay: Number.POSITIVE_INFINITY });
  await piped;
}

type WebBytes = ReadableStream<Uint8Array>;
const toWeb = (stream: Readable): WebBytes => Readable.toWeb(stream) as unknown as WebBytes;
const fromWeb = (stream: WebBytes): Readable =>
  Readable.fromWeb(stream as unknown as Parameters<typeof Readable.fromWeb>[0]);
