// Parses the arguments of `fetch` into the request to send. It validates what is sent; `guarded-fetch.ts`
// checks the target.
import { EgressError } from './egress-error.ts';
import type { OutgoingRequest } from './http-round-trip.ts';
import { checkHeaders, headerPairs } from './outgoing-headers.ts';

interface ParsedRequest {
  readonly request: OutgoingRequest;
  readonly redirect: Request['redirect'];
  readonly signal: AbortSignal;
}

/** Throws `EgressError` (`egress.url`, `egress.header`, `egress.request`, `egress.too_large`). */
export async function parseOutgoingRequest(
  input: string | URL | Request,
  init: RequestInit,
  bytesMax: number,
): Promise<ParsedRequest> {
  const url = parseUrl(input);
  checkHeaders(headerPairs(init.headers ?? (input instanceof Request ? input.headers : undefined)));
  const request = asRequest(input, init);
  const headers = new Headers(request.headers);
  headers.set('accept-encoding', 'gzip, br, deflate');
  const body = request.body ? await readBody(request.body, bytesMax) : null;
  const signal = init.signal ?? (input instanceof Request ? input.signal : new AbortController().signal);
  return { request: { url, method: request.method, headers, body }, redirect: request.redirect, signal };
}

function parseUrl(input: string | URL | Request): URL {
  const text = typeof input === 'string' ? input : input instanceof URL ? input.href : input.url;
  // The URL standard drops line breaks silently; here they are refused, because they can only be meant to
  // deceive.
  const url = /\p{Cc}/u.test(text) ? null : URL.parse(text);
  if (!url)
    throw new EgressError(
      'egress.url',
      'The URL is not an absolute URL, such as https://api.example.com/path.',
    );
  return url;
}

/**
 * Uses the built-in parsing of methods and bodies. URL and signal are left out: its errors quote URLs, and
 * its signals get lost.
 */
function asRequest(input: string | URL | Request, init: RequestInit): Request {
  try {
    // The types of browsers, with which those of the console are checked, lack `duplex`.
    const options: RequestInit & { duplex: 'half' } = { duplex: 'half', ...init, signal: null };
    return new Request(input instanceof Request ? input : 'https://placeholder.invalid', options);
  } catch (cause) {
    throw new EgressError(
      'egress.request',
      'The method, body or another option of the request is not valid.',
      {
        cause,
      },
    );
  }
}

async function readBody(body: ReadableStream<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax)
      throw new EgressError('egress.too_large', `The request body is larger than ${bytesMax} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
