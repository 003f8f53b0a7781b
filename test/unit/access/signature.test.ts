import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { secret } from '#lib/secret.ts';
import { signatureHeaders, verify } from '#lib/webhook-secret/signature.ts';

/** The example of the Standard Webhooks reference libraries. */
const example = {
  secret: secret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: '1614265330',
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const { id, timestamp, body, signature } = example;
const at = Number(timestamp) * 1_000;
const other = secret(`whsec_${Buffer.alloc(32, 7).toString('base64')}`);

test('a message gets the same signature as from the reference libraries', () => {
  expect(signatureHeaders([example.secret], { id, timestamp, body })).toEqual({
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
  });
});

describe('a message is', () => {
  const headers = { id, timestamp, signature };
  test.each([
    ['valid', 'as it was signed', headers, body, at],
    ['valid', 'among other signatures', { ...headers, signature: `v1a,x v1,AAAA ${signature}` }, body, at],
    ['valid', 'five minutes early', headers, body, at - 300_000],
    ['valid', 'five minutes late', headers, body, at + 300_000],
    ['stale', 'earlier', headers, body, at - 301_000],
    ['stale', 'later', headers, body, at + 301_000],
    ['stale', 'with a timestamp that is none', { ...headers, timestamp: '1614265330.0' }, body, at],
    ['unsigned', 'without an id', { ...headers, id: undefined }, body, at],
    ['unsigned', 'without a signature', { ...headers, signature: undefined }, body, at],
    ['mismatch', 'under another id', { ...headers, id: 'msg_2' }, body, at],
    ['mismatch', 'at another time', { ...headers, timestamp: '1614265331' }, body, at],
    ['mismatch', 'with another body', headers, `${body} `, at],
    ['mismatch', 'with another version', { ...headers, signature: signature.replace('v1', 'v2') }, body, at],
    ['mismatch', 'with half a signature', { ...headers, signature: signature.slice(0, 20) }, body, at],
  ])('%s %s', (verdict, _, sent, text, now) => {
    expect(verify([other, example.secret], sent, text, now)).toBe(verdict);
  });
});

test('a signature verifies exactly with lists that have its secret', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 24, maxLength: 64 }), fc.string(), (bytes, text) => {
      const own = secret(`whsec_${Buffer.from(bytes).toString('base64')}`);
      const made = signatureHeaders([own], { id, timestamp, body: text });
      const sent = { id, timestamp, signature: made['webhook-signature'] };
      expect(verify([other, own], sent, text, at)).toBe('valid');
      expect(verify([other], sent, text, at)).toBe('mismatch');
    }),
  );
});

test('the code in the guide verifies our signatures', async () => {
  const guide = readFileSync(new URL('../../../docs/api-guide.md', import.meta.url), 'utf8');
  const [, code = ''] = /```js\n([\s\S]+?)```/.exec(guide) ?? [];
  const receiver = z
    .object({ isFromAgentFlow: z.function({ output: z.boolean() }) })
    .parse(await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`));
  const headers = signatureHeaders([other, example.secret], { id, timestamp, body });
  const check = (text: string, now: number) =>
    Reflect.apply(receiver.isFromAgentFlow, undefined, [headers, text, example.secret.reveal(), now]);
  expect(check(body, at / 1_000)).toBe(true);
  expect(check(`${body} `, at / 1_000)).toBe(false);
  expect(check(body, at / 1_000 + 301)).toBe(false);
});
