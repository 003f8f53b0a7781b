// The body of a response as a web stream: decoded, limited in size after decoding, and limited in time. The
// content is not interpreted.

import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { EgressError } from './egress-error.ts';
import { abortReason, ownError } from './http-round-trip.ts';

interface BodyOptions {
  readonly bytesMax: number;
  readonly bodyMs: number;
  readonly signal: AbortSignal;
}

export function boundedBody(message: IncomingMessage, options: BodyOptions): ReadableStream<Uint8Array> {
  const source = decode(message, options.bytesMax);
  const stop = (error: Error) => source.destroy(error);
  const timer = setTimeout(() => stop(tooSlow(options.bodyMs)), options.bodyMs);
  const abort = () => stop(abortReason(options.signal));
  options.signal.addEventListener('abort', abort, { once: true });
  if (options.signal.aborted) abort();
  source.once('close', () => {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', abort);
  });
  const chunks = limitBytes(source, options);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        return done ? controller.close() : controller.enqueue(value);
      },
      // Not through the generator: one that never started would not run its cleanup.
      cancel: () => void source.destroy(),
    },
    { highWaterMark: 0 },
  );
}

/**
 * Decodes one layer of the three encodings that requests accept; several layers are refused, as decompression
 * bombs use them.
 */
function decode(message: IncomingMessage, bytesMax: number): Readable {
  const encoding = (message.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') {
    if (Number(message.headers['content-length']) > bytesMax) throw discard(message, tooLarge(bytesMax));
    return message;
  }
  const createDecoder = decoders.get(encoding);
  if (createDecoder) return pipeline(message, createDecoder(), () => undefined);
  throw discard(message, new EgressError('egress.encoding', 'The answer has an unknown content encoding.'));
}

const decoders = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

async function* limitBytes(source: Readable, { bytesMax, signal }: BodyOptions): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterable<Uint8Array> = source;
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      yield chunk;
    }
  } catch (error) {
    throw ownError(error, signal) ?? brokenOff(error);
  }
}

/** zlib's own codes: `Z_…` from gzip and deflate, `ERR__ERROR_…` and `ERR_…` of the format from Brotli. */
const isDecodingCode = (code: unknown) =>
  typeof code === 'string' && /^(Z_|ERR__ERROR|ERR_BROTLI)/.test(code);

function brokenOff(cause: unknown): Error {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return isDecodingCode(code)
    ? new EgressError('egress.encoding', 'The answer is not encoded the way it says.', { cause })
    : new TypeError('terminated', { cause });
}

function discard(message: IncomingMessage, error: EgressError): EgressError {
  message.destroy();
  return error;
}

const tooLarge = (bytes: number) =>
  new EgressError('egress.too_large', `The answer is larger than ${bytes} bytes.`);

const tooSlow = (ms: number) =>
  new EgressError('egress.timeout', `The answer was not complete within ${ms / 1000} s.`);
