// Where the browser goes after a sign-in: whatever somebody puts into a link, it is a page of this service.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseReturnPath } from '#lib/session/return-path.ts';
import { seed } from '#test/support/seed.ts';

const pieces = fc.constantFrom(
  ...[
    '/',
    '//',
    '\\',
    '.',
    '..',
    '/..',
    '/./',
    '%2e',
    '%2E%2e',
    '%2f',
    '%5c',
    '@',
    ':',
    '?',
    '#',
    '\t',
    '\n',
    '\r',
  ],
  ...[
    '\0',
    ' ',
    'evil.example',
    'user:pw@evil.example',
    'https:',
    'javascript:',
    'auth',
    'login',
    'session',
    'main',
  ],
  ...['console', '／', '。', 'é', '[::1]', ';', ',', '&', '='],
);
const text = fc.oneof(
  fc.array(pieces, { maxLength: 6 }).map((all) => `/main/${all.join('')}`),
  fc.array(pieces, { maxLength: 8 }).map((all) => all.join('')),
  fc.array(pieces, { maxLength: 8 }).map((all) => `/${all.join('')}`),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.string({ unit: 'binary' }),
);

const parse = (given: string): string | undefined => {
  try {
    return parseReturnPath(given);
  } catch {
    return undefined;
  }
};

describe.each(['https://flows.example', 'https://api.example/main', 'http://127.0.0.1:3000'])(
  'at %s',
  (gateway) => {
    const former = process.env.GATEWAY_URL;
    beforeAll(() => {
      process.env.GATEWAY_URL = gateway;
    });
    afterAll(() => {
      if (former === undefined) delete process.env.GATEWAY_URL;
      else process.env.GATEWAY_URL = former;
    });

    test(`a browser stays on the service, outside of its sign-in (SEED=${seed})`, () => {
      const { pathname: base, origin } = new URL(gateway.replace(/\/?$/, '/'));
      let taken = 0;
      fc.assert(
        fc.property(text, (given) => {
          const path = parse(given);
          if (path === undefined) return;
          taken += 1;
          expect(path).toMatch(/^\/(?![/\\])[\x21-\x7e]*$/);
          // As a browser reads `Location` in the answer of the callback.
          const url = new URL(path, `${origin}${base}auth/callback`);
          expect(url.origin).toBe(origin);
          expect(url.username + url.password).toBe('');
          expect(url.pathname.startsWith(base)).toBe(true);
          if (url.pathname.startsWith(`${base}auth/`)) expect(url.pathname).toBe(`${base}auth/session`);
          // Nor does it change when it is asked for again.
          expect(parse(path)).toBe(path);
        }),
        { seed, numRuns: 5_000 },
      );
      expect(taken).toBeGreaterThan(100);
    });

    test('a page of the service is taken as it is', () => {
      const base = new URL(gateway).pathname.replace(/\/$/, '');
      for (const path of [`${base}/auth/session`, `${base}/console/runs?status=failed#top`])
        expect(parse(path)).toBe(path);
      expect(parseReturnPath(undefined)).toBe(`${base}/auth/session`);
    });
  },
);
