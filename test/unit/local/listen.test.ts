// The values of the environment variable PORT.
import { expect, test } from 'vitest';
import { parsePort } from '#lib/local/listen.ts';

test.each([
  ['0', 0],
  ['80', 80],
  ['65535', 65_535],
  ['', 3_000],
  [undefined, 3_000],
])('PORT=%s is port %i', (given, port) => {
  expect(parsePort(given)).toBe(port);
});

test.each(['http', '0x10', '1e3', '3.5', '-1', '+3', ' 80', '65536', '99999'])(
  'PORT="%s" is refused',
  (given) => {
    expect(() => parsePort(given)).toThrow(
      `PORT must be a number from 0 (any free port) to 65535, not "${given}".`,
    );
  },
);
