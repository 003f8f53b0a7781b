// Takes secrets out of what a host says: a host that repeats its credential must not carry it into a flow, a log or a prompt.
import type { Json } from '#lib/json.ts';
import type { Secret } from '#lib/secret.ts';

/** Shorter ones are words that an answer may well contain by itself. */
const lengthMin = 8;

/** As they are, as JSON writes them and as URLs do. */
export function withoutSecrets(text: string, secrets: Iterable<Secret>): string {
  let hidden = text;
  for (const secret of secrets) {
    const plain = secret.reveal();
    if (plain.length < lengthMin) continue;
    const forms = new Set([plain, JSON.stringify(plain).slice(1, -1), encodeURIComponent(plain)]);
    for (const form of forms) hidden = hidden.replaceAll(form, String(secret));
  }
  return hidden;
}

export function valueWithoutSecrets<T extends Json>(value: T, hide: (text: string) => string): T {
  const text = JSON.stringify(value);
  const hidden = hide(text);
  return hidden === text ? value : JSON.parse(hidden);
}
