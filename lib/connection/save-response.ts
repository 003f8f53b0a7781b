// Stores the body of a response as a file. Nothing is stored before all of it has arrived.
import type { SavedFile } from '#lib/flow/ports/file.ts';
import type { SaveRequest } from '#lib/flow/ports/http.ts';
import type { ConnectionFetch } from './authorized-fetch.ts';

/** Undefined for an empty body. */
export async function readSavedFile(
  { key, name, media_type }: SaveRequest,
  response: Response,
  redact: ConnectionFetch['redact'],
): Promise<SavedFile | undefined> {
  const received = Buffer.from(await response.arrayBuffer());
  if (received.length === 0) return undefined;
  const { headers, url } = response;
  return {
    key,
    name: name ?? redact(readFileName(headers.get('content-disposition') ?? '') ?? lastSegment(url)),
    media_type: media_type ?? redact(headers.get('content-type') ?? ''),
    content: redactBytes(received, redact),
  };
}

/** As Latin-1, each byte is one character, and those of a credential are found. */
function redactBytes(bytes: Buffer, redact: ConnectionFetch['redact']): Buffer {
  const text = bytes.toString('latin1');
  const redacted = redact(text);
  return redacted === text ? bytes : Buffer.from(redacted, 'latin1');
}

/** `filename*`, else `filename` (RFC 6266, section 4.3). */
function readFileName(disposition: string): string | undefined {
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  if (extended !== undefined) return decode(extended);
  const [, quoted, token] = /;\s*filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(disposition) ?? [];
  return quoted ?? token;
}

const lastSegment = (url: string): string =>
  decode(URL.parse(url)?.pathname.split('/').findLast(Boolean) ?? '');

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
