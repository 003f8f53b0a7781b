// What a source gets to verify and to read, and what it returns; with the parts that several sources share.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '#lib/errors.ts';
import { faultIn, reachesForPrototypes } from '#lib/json/guard.ts';
import type { Json } from '#lib/json/json.ts';
import { readJsonText } from '#lib/json/parse.ts';
import { addMistake, newMistakeList } from '#lib/mistakes.ts';
import type { Secret } from '#lib/secret.ts';

export interface SentRequest {
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as it was sent. */
  readonly text: string;
  readonly nowMs: number;
  /** The address, as the sender knows it. */
  readonly url: string;
  /** The network address of the sender. */
  readonly sourceIp: string;
  /** The parameter `bodySHA256` of the query. */
  readonly bodyHash?: string | undefined;
}

/** What the flow sees, and the name under which the event has one effect. */
export interface SourceEvent {
  readonly is: 'event';
  /** The sender's name for the event; undefined if it has none: then equal bodies are one event. */
  readonly id: string | undefined;
  /** In place of `id`, where that does not identify an event alone. */
  readonly name?: string;
  readonly type: string;
  /** Other names that a filter by type may use. */
  readonly otherTypes?: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

export type Reading =
  | SourceEvent
  /** The sender tests the address. Nothing runs. */
  | { readonly is: 'test' }
  /** The sender wants this text back, as a proof that the address is meant to receive its events. */
  | { readonly is: 'challenge'; readonly text: string }
  /** The sender wants this address requested before it sends events. Undefined if it is none of the sender. */
  | { readonly is: 'subscription'; readonly url: URL | undefined };

export interface SourceReader<S> {
  /** Whether one of the secrets signed the request, and recently. */
  readonly verify: (source: S, secrets: readonly Secret[], sent: SentRequest) => boolean | Promise<boolean>;
  /** Reads a request that is verified. */
  readonly read: (source: S, sent: SentRequest) => Reading | Promise<Reading>;
}

interface Signed {
  readonly algorithm: 'sha1' | 'sha256' | 'sha512';
  readonly encoding: 'hex' | 'base64';
  readonly text: string;
}

/**
 * Whether one of the signatures is that of the text under one of the secrets. They are compared as texts, since
 * decoders ignore what follows a signature. Hexadecimal digits may be in either case.
 */
export function isSigned(
  secrets: readonly Secret[],
  { algorithm, encoding, text }: Signed,
  signatures: readonly string[],
): boolean {
  const given = encoding === 'hex' ? signatures.map((each) => each.toLowerCase()) : signatures;
  return secrets
    .map((secret) => createHmac(algorithm, secret.reveal()).update(text).digest(encoding))
    .some((expected) => given.some((each) => isSameText(expected, each)));
}

/** In time that does not depend on where they differ. */
export function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** `timestamp` is in seconds since 1970, as text. */
export const isRecent = (timestamp: string, toleranceSeconds: number, nowMs: number): boolean =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(nowMs / 1_000 - Number(timestamp)) <= toleranceSeconds;

export const hashText = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** The headers of a request that have one of these names. */
export const pickHeaders = (
  { headers }: SentRequest,
  names: readonly string[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name.toLowerCase()];
      return value === undefined ? [] : [[name.toLowerCase(), value]];
    }),
  );

export const isForm = ({ headers }: SentRequest): boolean =>
  /^application\/x-www-form-urlencoded *(;|$)/i.test(headers['content-type'] ?? '');

/** A form by its content type, otherwise JSON. */
export const readBody = (sent: SentRequest): Json => (isForm(sent) ? readForm(sent) : readJson(sent.text));

/** A field that was sent several times is a list. */
export function readForm({ text }: SentRequest): Readonly<Record<string, string | readonly string[]>> {
  const fields = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const values = fields.get(name);
    if (values) values.push(value);
    else fields.set(name, [value]);
  }
  const form = Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
  requireHarmless(form);
  return form;
}

/** The JSON in the field `payload` of a form. */
export const readPayload = (sent: SentRequest): Json => readJson(readText(readForm(sent), 'payload') ?? '');

export function readJson(text: string): Json {
  const read = readJsonText(text);
  if (!read.isJson)
    throw new ServiceError('malformed_json', { detail: `The body is not JSON: ${read.reason}.` });
  requireHarmless(read.value);
  // A parser makes nothing but JSON.
  return read.value as Json;
}

/** As for every body: bounded depth, and no members that reach for prototypes. */
function requireHarmless(body: unknown): void {
  const fault = faultIn(body, reachesForPrototypes);
  if (!fault) return;
  const mistakes = newMistakeList();
  addMistake(mistakes, ['body', ...fault.path], fault.detail);
  throw new ServiceError('validation_failed', { errors: mistakes.listed });
}

/** The text of a member of a body, by the names of the members that lead to it; numbers become text. */
export function readText(body: Json | undefined, path: string): string | undefined {
  let value: unknown = body;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Reflect.get(value, name);
  }
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
