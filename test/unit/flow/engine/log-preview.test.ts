import { describe, expect, test } from 'vitest';
import { preview, redacted } from '#lib/flow/engine/log-preview.ts';

const key = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJrZXlfMSIsIm9yZyI6Im9yZyJ9.c2lnbmF0dXJl-X_1';

describe('of a text, what looks like a secret is left out', () => {
  test.each([
    ['a header', `Authorization: Bearer ${key}!`, 'Authorization: [redacted]!'],
    ['an API key of the service', `X-API-Key: ${key}`, 'X-API-Key: [redacted]'],
    [
      'a signing secret of the service',
      'signed with whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw==',
      'signed with [redacted]',
    ],
    [
      'a query',
      'GET /login?user=ada&password=hunter2&page=2',
      'GET /login?user=ada&password=[redacted]&page=2',
    ],
    ['a token among others', 'access_token=abc, then', 'access_token=[redacted], then'],
    ['a value in quotes', 'client_secret="two words" next', 'client_secret="[redacted]" next'],
    ['JSON', '{"password": "two words", "user": "ada"}', '{"password": "[redacted]", "user": "ada"}'],
    [
      'JSON in a text',
      String.raw`body {\"api_key\":\"k1\",\"n\":1}`,
      String.raw`body {\"api_key\":\"[redacted]\",\"n\":1}`,
    ],
  ])('in %s', (_, text, shown) => {
    expect(redacted(text)).toBe(shown);
    expect(preview(text)).toBe(shown);
  });

  test.each([
    'basic YWRhOmh1bnRlcjI=',
    'sk-proj1234567890',
    'pk_live_1234567890',
    'ghp_1234567890abcd',
    'gho_1234567890abcd',
    'xoxb-1234567890abc',
    'AKIAIOSFODNN7EXAMPLE',
    '-----BEGIN RSA PRIVATE KEY-----',
  ])('in any case of letters, alone or in a text: %s', (secret) => {
    for (const written of [secret, secret.toLowerCase(), secret.toUpperCase()])
      expect(redacted(`got ${written}, end`)).toBe('got [redacted], end');
  });

  test.each(['password', 'passwd', 'passphrase', 'pwd', 'secret', 'token', 'api_key', 'api-key', 'APIKEY'])(
    'as the value of %s',
    (name) => expect(redacted(`${name}=hunter2&page=2`)).toBe(`${name}=[redacted]&page=2`),
  );

  test.each([
    'The token: none was found.',
    'max_tokens=1000 is too much',
    'Passwords expire after 30 days.',
    'the secret of success',
  ])('and nothing else: %s', (text) => expect(redacted(text)).toBe(text));
});
