// Removes secrets from responses: a host that repeats its credential must not bring it into a flow, a log or
// a prompt.
import { isList, isObject } from '#lib/flow/format/json-value.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { Secret } from '#lib/secret.ts';

/** Shorter secrets are likely to occur in a response by chance. */
const lengthMin = 8;

/**
 * Replaces secrets as they are, as JSON escapes them and as URLs encode them. Lone surrogates, which JSON can
 * express, are replaced too.
 */
export function redactSecrets(text: string, secrets: Iterable<Secret>): string {
  let redacted = text.toWellFormed();
  for (const secret of secrets) {
    const plain = secret.reveal();
    if (plain.length < lengthMin) continue;
    const forms = new Set([plain, JSON.stringify(plain).slice(1, -1), encodeURIComponent(plain)]);
    for (const form of forms) redacted = redacted.replaceAll(form, String(secret));
  }
  return redacted;
}

/** In all strings, keys and numbers of a value. */
export function redactValue(value: Json, redact: (text: string) => string): Json {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number')
    return redact(String(value)) === String(value) ? value : redact(String(value));
  if (isList(value)) return value.map((item) => redactValue(item, redact));
  return isObject(value) ? redactObject(value, redact) : value;
}

export const redactObject = (value: JsonObject, redact: (text: string) => string): JsonObject =>
  Object.fromEntries(
    Object.entries(value).map(([key, member]) => [redact(key), redactValue(member, redact)]),
  );
