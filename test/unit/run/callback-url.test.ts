import { expect, test } from 'vitest';
import { callbackUrl } from '#lib/run/callback-url.ts';

test.each([
  'https://example.com/hooks',
  'https://example.com:8443/hooks?tenant=1',
  'http://127.0.0.1:4010/hooks',
  'http://localhost/hooks',
])('%s is accepted', (url) => {
  expect(callbackUrl.safeParse(url).success).toBe(true);
});

test.each([
  'example.com/hooks',
  'http://example.com/hooks',
  'ftp://example.com/hooks',
  'file:///etc/passwd',
  'https://user:password@example.com/hooks',
  'https://example.com/hooks#part',
  `https://example.com/${'x'.repeat(2_048)}`,
  'https://example.com/\r\nX: y',
  'https://example.com/\tx',
  ' https://example.com/',
  'https://example.com/ ',
])('%s is refused', (url) => {
  expect(callbackUrl.safeParse(url).success).toBe(false);
});
