// CloudEvents 1.0.2 over HTTP, in structured and in binary mode. The specification has no signature, so senders sign
// according to Standard Webhooks, or send the secret as a bearer token. In binary mode the attributes are headers,
// which are not signed.
import { ServiceError } from '#lib/errors.ts';
import type { JsonObject } from '#lib/json/json.ts';
import type { Secret } from '#lib/secret.ts';
import { verify as verifyStandard } from '#lib/webhook-secret/signature.ts';
import { isStandardSecret } from '#lib/webhook-secret/signing-secret.ts';
import { isSameText, readJson, readText, type SentRequest, type SourceReader } from './sent-request.ts';
import type { CloudEventsSource } from './source.ts';

export const cloudevents: SourceReader<CloudEventsSource> = {
  verify: ({ credential }, secrets, sent) =>
    credential === 'bearer' ? hasToken(secrets, sent) : isSignedByStandard(secrets, sent),

  read: (_, sent) => {
    checkIsSingle(sent);
    const isStructured = contentTypeOf(sent).startsWith('application/cloudevents+json');
    const body = isStructured ? readJson(sent.text) : readBinary(sent);
    const pointer = isStructured ? '/body/' : '/headers/ce-';
    const [version, id, source, type] = (['specversion', 'id', 'source', 'type'] as const).map((name) => {
      const value = readText(body, name);
      if (value !== undefined) return value;
      throw refused(`${pointer}${name}`, 'is required of a CloudEvent');
    });
    if (version !== '1.0') throw refused(`${pointer}specversion`, 'must be `1.0`');
    return {
      is: 'event',
      id,
      // Ids are unique for each source.
      name: JSON.stringify([source, id]),
      type: type ?? '',
      headers: {},
      body,
    };
  },
};

const refused = (pointer: string, detail: string) =>
  new ServiceError('validation_failed', { errors: [{ pointer, detail }] });

/** A batch would be several runs, of which some could be accepted and others not. */
function checkIsSingle(sent: SentRequest): void {
  if (!contentTypeOf(sent).startsWith('application/cloudevents-batch')) return;
  const detail =
    'must be that of one event: `application/cloudevents+json`, or that of its data in binary mode; batches are not accepted';
  throw refused('/headers/content-type', detail);
}

/** Of another form a secret has no bytes to sign with. */
function isSignedByStandard(secrets: readonly Secret[], { headers, text, nowMs }: SentRequest): boolean {
  const able = secrets.filter((secret) => isStandardSecret(secret.reveal()));
  const signature = {
    id: headers['webhook-id'],
    timestamp: headers['webhook-timestamp'],
    signature: headers['webhook-signature'],
  };
  return verifyStandard(able, signature, text, nowMs) === 'valid';
}

function hasToken(secrets: readonly Secret[], { headers }: SentRequest): boolean {
  const token = /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  return secrets.some((secret) => isSameText(secret.reveal(), token));
}

const contentTypeOf = ({ headers }: SentRequest): string => (headers['content-type'] ?? '').toLowerCase();

/** The event as structured mode has it. */
function readBinary(sent: SentRequest): JsonObject {
  const attributes = Object.entries(sent.headers).flatMap(([name, value = '']) =>
    /^ce-[a-z0-9]{1,20}$/.test(name) ? [[name.slice('ce-'.length), decode(value)] as const] : [],
  );
  const type = contentTypeOf(sent);
  return {
    ...Object.fromEntries(attributes),
    ...(type !== '' && { datacontenttype: type }),
    ...(sent.text !== '' && readData(sent.text, type)),
  };
}

const jsonType = /^[a-z]+\/([a-z0-9.+-]+\+)?json *(;|$)/;
/** Without a type, `data` is what was sent. */
const textType =
  /^ *($|;)|^text\/|^application\/([a-z0-9.+-]+\+)?(xml|yaml|x-www-form-urlencoded|javascript) *(;|$)/;

/** Bytes are in `data_base64`, as in structured mode (§3.1.1 of the JSON format). */
function readData(text: string, type: string): JsonObject {
  if (jsonType.test(type)) return { data: readJson(text) };
  if (textType.test(type)) return { data: text };
  // API Gateway has read the body as UTF-8, and replaced what is none.
  if (text.includes('\ufffd')) {
    throw refused(
      '/body',
      'must be UTF-8 in binary mode: send other bytes as `data_base64` in structured mode',
    );
  }
  return { data_base64: Buffer.from(text).toString('base64') };
}

/** Attributes are percent-encoded in headers (§3.1.3.2); what cannot be decoded stays as it is. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
