// Compression of what tables store.
import { promisify } from 'node:util';
import { zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib';

const compressElsewhere = promisify(zstdCompress);

/** Handing fewer bytes to another thread takes four times as long as compressing them. */
const hereBytesMax = 16_384;

export async function compress(text: string): Promise<Buffer> {
  const bytes = Buffer.from(text);
  return bytes.length <= hereBytesMax ? zstdCompressSync(bytes) : await compressElsewhere(bytes);
}

export const decompress = promisify(zstdDecompress);
