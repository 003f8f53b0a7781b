// The kinds of text that guardrails find by name: what is one, what is none, and that hostile texts take linear time.
import { describe, expect, test } from 'vitest';
import { searchText } from '#lib/flow/expression/search-text.ts';
import { createBudget } from '#lib/flow/expression/step-budget.ts';
import { type Detection, detections } from '#lib/flow/format/detection.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { clock } from '#lib/run/compute/clock.ts';

const redact = (detection: Detection, text: string) =>
  searchText({ source: detection, detection, text, replacement: '#' }, createBudget(clock.cpuMs)).text;

const key = (label: string) => `-----BEGIN ${label}-----\nMIIEvQIBADANBg\n-----END ${label}-----`;

describe('finds', () => {
  test.each([
    // The test numbers of payment networks, of 16, 15, 13 and 19 digits.
    ['payment_card', 'Pay with 4111111111111111.', 'Pay with #.'],
    ['payment_card', '5555 5555 5555 4444, 3782-822463-10005', '#, #'],
    ['payment_card', '4222222222222 6304000000000000000', '# #'],
    ['payment_card', 'Order 7 of 4111 1111 1111 1111 for 12 items', 'Order 7 of # for 12 items'],
    ['payment_card', '2024 4111 1111 1111 1111', '2024 #'],
    ['payment_card', '"4111\u00a01111\u00a01111\u00a01111"', '"#"'],
    // The examples of the IBAN registry.
    ['iban', 'To DE89370400440532013000!', 'To #!'],
    ['iban', 'GB82 WEST 1234 5698 7654 32 please', '# please'],
    [
      'iban',
      'AT61 1904 3002 3457 3201 have paid from AB12 GB82 WEST 1234 5698 7654 32',
      '# have paid from AB12 #',
    ],
    ['iban', 'no9386011117947, MT84MALT011000012345MTLCAST001S', '#, #'],
    ['email', 'Write to Ann.Lee+x@mail.example.co.uk.', 'Write to #.'],
    ['email', '<müller@bücher.example>, a@b.io', '<#>, #'],
    ['aws_access_key_id', 'id=AKIAIOSFODNN7EXAMPLE;ASIAIOSFODNN7EXAMPLE', 'id=#;#'],
    ['private_key', `a ${key('PRIVATE KEY')} b ${key('RSA PRIVATE KEY')} c`, 'a # b # c'],
    ['private_key', key('PGP PRIVATE KEY BLOCK'), '#'],
    ['private_key', 'a -----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZX', 'a #'],
  ] satisfies [Detection, string, string][])('%s in %j', (kind, text, left) => {
    expect(redact(kind, text)).toBe(left);
  });
});

describe('does not find', () => {
  test.each([
    ['payment_card', 'Order 4111111111111112'],
    ['payment_card', 'at 1732447200000, id x4111111111111111, 41111111111111110000000'],
    ['payment_card', '4111 1111  1111 1111'],
    ['iban', 'DE88370400440532013000 and xDE89370400440532013000'],
    ['iban', 'AB12 this is some text that goes on'],
    ['email', 'me@localhost, @handle, a@b'],
    ['aws_access_key_id', 'AKIAIOSFODNN7EXAMPL, AKIAIOSFODNN7EXAMPLES'],
    ['private_key', key('PUBLIC KEY')],
  ] satisfies [Detection, string][])('%s in %j', (kind, text) => {
    expect(redact(kind, text)).toBe(text);
  });
});

const size = 200_000;
const hostile = [
  'a',
  '4',
  '4 ',
  '4111 ',
  'a@',
  'a.',
  'GB82',
  'GB82 ',
  '-----BEGIN A ',
  '-----BEGIN PRIVATE KEY-----',
  '-----END ',
];

test.each(detections)('%s in 200 KB of a hostile text is searched within the budget', (kind) => {
  for (const piece of hostile) {
    const text = `${kind === 'private_key' ? '-----BEGIN PRIVATE KEY-----' : 'a@'}${piece.repeat(size / piece.length)}`;
    const before = clock.cpuMs();
    redact(kind, text);
    expect(clock.cpuMs() - before, piece).toBeLessThan(limits.expressionCpuMs);
  }
});
