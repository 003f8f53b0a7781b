// Reads the prelude of a streamed function response, and forwards the rest of the stream.
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { GatewayError } from './gateway-error.ts';
import type { Streaming } from './lambda.ts';
import { preludeEnd, type ResponseStream } from './lambda-streaming.ts';
import { type Head, parseStreamedHead } from './proxy-response.ts';

/** API Gateway expects the delimiter within the first 16 KB. */
const preludeBytesMax = 16 * 1024;

/**
 * A failure before the end of the prelude is thrown and becomes an error response. After that the status has
 * been sent, so a failure closes the connection, as with API Gateway.
 */
export async function streamResponse(
  { body, done }: Streaming,
  timeoutMillis: number,
  response: ServerResponse,
  send: (head: Head) => void,
): Promise<void> {
  const timeout = setTimeout(() => body.destroy(new GatewayError('INTEGRATION_TIMEOUT')), timeoutMillis);
  response.once('close', () => body.destroy(new GatewayError('CLIENT_LEFT')));
  try {
    const head = parseStreamedHead(await readPrelude(body));
    send(head);
    response.flushHeaders();
    await pipeline(body, response);
    await done;
  } finally {
    clearTimeout(timeout);
    body.destroy();
  }
}

async function readPrelude(body: ResponseStream): Promise<unknown> {
  const prelude = await bytesUpToDelimiter(body);
  if (prelude) return parseMetadata(prelude.toString('utf8'));
  throw new GatewayError('FUNCTION_FAILED', new Error('The stream has no prelude with its eight NUL bytes.'));
}

/** Does not iterate, which would end the stream with the loop. Undefined if there is no delimiter. */
function bytesUpToDelimiter(body: ResponseStream): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    let buffered = Buffer.alloc(0);
    const settle = (act: () => void) => {
      body.off('readable', read).off('end', end).off('error', fail).off('close', end);
      act();
    };
    const end = () => settle(() => resolve(undefined));
    const fail = (error: Error) => settle(() => reject(asGatewayError(error)));
    const read = () => {
      for (let chunk = body.read(); chunk !== null; chunk = body.read()) {
        buffered = Buffer.concat([buffered, chunk]);
        const at = buffered.indexOf(preludeEnd);
        if (at < 0 && buffered.length <= preludeBytesMax) continue;
        // `unshift` must be called now, since it fails once the stream has ended.
        const rest = buffered.subarray(at + preludeEnd.length);
        if (at >= 0 && rest.length > 0) body.unshift(rest);
        return settle(() => resolve(at < 0 ? undefined : buffered.subarray(0, at)));
      }
    };
    body.on('readable', read).on('end', end).on('error', fail).on('close', end);
  });
}

const asGatewayError = (error: Error) =>
  error instanceof GatewayError ? error : new GatewayError('FUNCTION_FAILED', error);

function parseMetadata(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new GatewayError('FUNCTION_FAILED', cause);
  }
}
