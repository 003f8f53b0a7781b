// The generic source: an HMAC of the body in a header, as most systems send it.
import type { Secret } from '#lib/secret.ts';
import {
  isRecent,
  isSigned,
  pickHeaders,
  readBody,
  readText,
  type SentRequest,
  type SourceReader,
} from './sent-request.ts';
import type { HmacSource } from './source.ts';

export const hmac: SourceReader<HmacSource> = {
  verify: (source, secrets, sent) => verifyHmac(source, secrets, sent),

  read: (source, sent) => {
    const body = readBody(sent);
    const find = (header: string | undefined, field: string | undefined) =>
      (header && sent.headers[header.toLowerCase()]) || (field && readText(body, field)) || undefined;
    return {
      is: 'event',
      id: find(source.id_header, source.id_field),
      type: find(source.event_header, source.event_field) ?? 'webhook',
      headers: pickHeaders(sent, source.headers ?? []),
      body,
    };
  },
};

type HmacSigning = Pick<
  HmacSource,
  | 'header'
  | 'algorithm'
  | 'encoding'
  | 'prefix'
  | 'timestamp_header'
  | 'tolerance_seconds'
  | 'signed'
  | 'id_header'
>;

function verifyHmac(signing: HmacSigning, secrets: readonly Secret[], sent: SentRequest): boolean {
  const { header, algorithm, encoding, prefix, tolerance_seconds } = signing;
  const read = (name: string | undefined) =>
    name === undefined ? '' : (sent.headers[name.toLowerCase()] ?? '');
  const [given, timestamp] = [read(header), read(signing.timestamp_header)];
  if (!given.startsWith(prefix)) return false;
  if (signing.timestamp_header && !isRecent(timestamp, tolerance_seconds, sent.nowMs)) return false;
  const parts: Readonly<Record<string, string>> = {
    '{body}': sent.text,
    '{timestamp}': timestamp,
    '{id}': read(signing.id_header),
  };
  const text = signing.signed.replace(/\{(?:body|timestamp|id)\}/g, (part) => parts[part] ?? '');
  return isSigned(secrets, { algorithm, encoding, text }, [given.slice(prefix.length)]);
}
