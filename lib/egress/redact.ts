// Takes secrets out of what a host says: a host that repeats its credential must not carry it into a flow, a log or a prompt.
import { isList, isObject } from '#lib/flow/format/json-value.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { Secret } from '#lib/secret.ts';

/** Shorter ones are words that an answer may well contain by itself. */
const lengthMin = 8;

/** As they are, as JSON writes them and as URLs do. What a host says comes in here, so half of a surrogate pair, which JSON can write, ends here. */
export function withoutSecrets(text: string, secrets: Iterable<Secret>): string {
  let hidden = text.toWellFormed();
  for (const secret of secrets) {
    const plain = secret.reveal();
    if (plain.length < lengthMin) continue;
    const forms = new Set([plain, JSON.stringify(plain).slice(1, -1), encodeURIComponent(plain)]);
    for (const form of forms) hidden = hidden.replaceAll(form, String(secret));
  }
  return hidden;
}

/** In all strings, keys and numbers of a value. */
export function valueWithoutSecrets(value: Json, hide: (text: string) => string): Json {
  if (typeof value === 'string') return hide(value);
  if (typeof value === 'number') return hide(String(value)) === String(value) ? value : hide(String(value));
  if (isList(value)) return value.map((item) => valueWithoutSecrets(item, hide));
  return isObject(value) ? objectWithoutSecrets(value, hide) : value;
}

export const objectWithoutSecrets = (value: JsonObject, hide: (text: string) => string): JsonObject =>
  Object.fromEntries(
    Object.entries(value).map(([key, member]) => [hide(key), valueWithoutSecrets(member, hide)]),
  );
