// Compression of what tables store.
import { promisify } from 'node:util';
import { zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib';

const compressElsewhere = promisify(zstdCompress);

/** Handing fewer bytes to another thread takes four times as long as compressing them. */
const hereBytesMax = 16_384;
/** Node.js takes none that is smaller. */
const chunkBytesMin = 64;

export async function compress(text: string): Promise<Buffer> {
  const bytes = Buffer.from(text);
  const { length } = bytes;
  if (length > hereBytesMax) return await compressElsewhere(bytes);
  // Node.js would make room for more, which takes a third of the time of a short text.
  return zstdCompressSync(bytes, { pledgedSrcSize: length, chunkSize: Math.max(length, chunkBytesMin) });
}

export const decompress = promisify(zstdDecompress);
