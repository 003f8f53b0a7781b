// However a secret stands in a value, it is not there afterwards, and the rest of the value is as it was.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactSecrets, redactValue } from '#lib/egress/redact.ts';
import type { Json } from '#lib/json/json.ts';
import { secret } from '#lib/secret.ts';

const text = fc.string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 40 });
const redactWith = (plain: string) => (said: string) => redactSecrets(said, [secret(plain)]);

/** Texts of a value: keys, strings and numbers. */
function collectTexts(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(collectTexts);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, member]) => [key, ...collectTexts(member)]);
  return [String(value)];
}

test('a secret is redacted from every text of a value', () => {
  const property = fc.property(text, fc.json(), (plain, json) => {
    const other: Json = JSON.parse(json);
    const value = { other, [`a${plain}`]: [plain, `x${plain}y`, { deep: encodeURIComponent(plain) }] };
    for (const said of collectTexts(redactValue(value, redactWith(plain)))) expect(said).not.toContain(plain);
  });
  fc.assert(property);
});

test('a value without the secret does not change', () => {
  const plain = 'a-secret-that-no-value-has';
  const property = fc.property(fc.json(), (json) => {
    const value: Json = JSON.parse(json);
    expect(redactValue(value, redactWith(plain))).toEqual(value);
  });
  fc.assert(property);
});

test('a number that is the secret is redacted', () => {
  expect(redactValue({ pin: 1234567890 }, redactWith('1234567890'))).toEqual({ pin: '[secret]' });
});
