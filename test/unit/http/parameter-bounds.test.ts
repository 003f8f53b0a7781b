// The OpenAPI document is as wide as the service: what a pattern lets through is taken, and what it does not
// is refused.
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { environment } from '#lib/environment/environment.ts';
import { connectionHosts } from '#lib/flow/format/connection.ts';
import { oneToFifty, pageLimit, words } from '#lib/http/parameters.ts';
import { newSecretBody } from '#lib/webhook-secret/signing-secret.ts';

const numbers = [
  ...Array.from({ length: 1_100 }, (_, n) => `${n}`),
  '',
  '-1',
  '1.0',
  ' 1',
  '01',
  '001',
  '0001',
  '1e2',
  '050',
  '0200',
];
const environments = [
  'live',
  'LIVE',
  'Prod',
  'tEst',
  'dev',
  'uat',
  'staging',
  '',
  ' live',
  'live ',
  'livee',
  'prodlive',
];
const spaces = ['', ' ', '\n', '\t', '\ufeff', '\u00a0', '\u2028', '\u3000', '\u1680', ' \n\ufeff'];
const texts = [...spaces, ...spaces.map((space) => `${space}a${space}`), '\u200b', '\u0085', '\u180e', '😀'];
const secrets = Array.from({ length: 70 }, (_, n) => `whsec_${Buffer.alloc(n, 9).toString('base64')}`);
const secret = newSecretBody.unwrap().shape.secret;

describe.each<[string, z.ZodType, readonly string[]]>([
  ['limit', pageLimit('Items'), numbers],
  ['count', oneToFifty, numbers],
  ['environment', environment, environments],
  ['q', words(200), texts],
  [
    'secret',
    secret,
    [...secrets, ...secrets.map((text) => text.replaceAll('=', '')), 'whsec_', 'whsec_A!', 'x'],
  ],
])('%s', (_, schema, values) => {
  test('is accepted exactly if it matches its published pattern', () => {
    const { pattern } = z.object({ pattern: z.string() }).parse(z.toJSONSchema(schema, { io: 'input' }));
    const published = new RegExp(pattern, 'u');
    const differing = values.filter((value) => published.test(value) !== schema.safeParse(value).success);
    expect(differing).toEqual([]);
  });
});

test('limit accepts 1 to 200, and count 1 to 50', () => {
  const taken = (schema: z.ZodType) =>
    numbers.filter((text) => /^[1-9]\d*$/.test(text) && schema.safeParse(text).success);
  expect(taken(pageLimit('Items'))).toHaveLength(200);
  expect(taken(oneToFifty)).toHaveLength(50);
});

test('a secret has 24 to 64 bytes, with or without padding', () => {
  const taken = (texts: readonly string[]) =>
    texts.flatMap((text, bytes) => (secret.safeParse(text).success ? [bytes] : []));
  const wanted = Array.from({ length: 41 }, (_, n) => n + 24);
  expect(taken(secrets)).toEqual(wanted);
  expect(taken(secrets.map((text) => text.replaceAll('=', '')))).toEqual(wanted);
});

const goodHosts = [
  ...[
    'a.example',
    '*.a.example',
    'localhost',
    'a.example:443',
    'a.example:65535',
    'a_b.example',
    'xn--bcher-kva.example',
  ],
  ...[
    '1.2.3.4',
    '1.2.3.4:8443',
    '[::1]',
    '[2001:db8::1]:8443',
    '[1:2:3:4:5:6:7:8]',
    '[::]',
    '1.example',
    'a--b.example',
  ],
];
const badHosts = [
  ...[
    '',
    '*',
    '*.',
    '.',
    'a..b',
    'a.example.',
    '.a.example',
    '-a.example',
    'a-.example',
    'A.example',
    'a b',
    'ü.example',
  ],
  ...[
    'a.example:0',
    'a.example:080',
    'a.example:65536',
    'a.example:',
    '1.2.3',
    '256.1.1.1',
    '01.2.3.4',
    'a.1',
    'a.0x1',
    'a.0x',
  ],
  ...[
    '*.1.2.3.4',
    '*.[::1]',
    '[:]',
    '[]',
    '[1:2]',
    '[::1',
    '[1::2::3]',
    '[::1.2.3.4]',
    `${'x'.repeat(64)}.example`,
    'a.example/x',
  ],
];

test('hosts of a connection are accepted exactly if they match their published pattern', () => {
  const found = z
    .object({ properties: z.object({ hosts: z.object({ items: z.object({ pattern: z.string() }) }) }) })
    .parse(z.toJSONSchema(z.object({ hosts: connectionHosts() }), { io: 'input', unrepresentable: 'any' }));
  const published = new RegExp(found.properties.hosts.items.pattern, 'u');
  const taken = (host: string) => connectionHosts().safeParse([host]).success;
  for (const isTaken of [taken, (host: string) => published.test(host)]) {
    expect(goodHosts.filter((host) => !isTaken(host))).toEqual([]);
    expect(badHosts.filter(isTaken)).toEqual([]);
  }
});
