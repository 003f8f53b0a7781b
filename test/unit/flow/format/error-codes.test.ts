// The table of error codes lists exactly the codes that the code throws and the documentation explains.
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorFamilies, isKnownPattern, loneErrors, widerPatterns } from '#lib/flow/format/error-codes.ts';
import { matches } from '#lib/flow/format/node-error.ts';

const root = new URL('../../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

const listed: readonly string[] = Object.entries(errorFamilies).flatMap(([family, names]) =>
  names.map((name) => `${family}.${name}`),
);

/** Put together from a family or the state of a task, and so not written anywhere. */
const formed = ['a2a.auth_required', 'a2a.canceled', 'a2a.failed', 'a2a.rejected', 'flow.unavailable'];
/** Nodes fail with `timeout` instead. */
const translated = ['egress.timeout'];

/** A function may have it (lib/http/route.ts). */
const permissions = ['code.evaluate'];

test('the code throws every error code of the table, and no other', () => {
  const code = new RegExp(`'((?:${Object.keys(errorFamilies).join('|')})\\.[a-z_]+)'`, 'g');
  const files = globSync('lib/**/*.ts', { cwd: root.pathname }).filter(
    // The console names members of `input` in this way, and telemetry attributes of spans.
    (path) => !path.endsWith('error-codes.ts') && !/^lib\/(console|telemetry\/attributes)/.test(path),
  );
  const written = files.flatMap((path) => [...read(path).matchAll(code)].map(([, one = '']) => one));
  const thrown = written.filter((name) => !permissions.includes(name));
  expect([...new Set([...thrown, ...formed])].sort()).toEqual([...listed, ...translated].sort());
});

test('the documentation explains every code, and no other', () => {
  const table = /\| code \| when \|\n(.*?)\n\n/s.exec(read('docs/flows.md'))?.[1] ?? '';
  const explained = table.split('\n').flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)]);
  const codes = explained.map(([, code = '']) => code).filter((code) => !code.endsWith('>'));
  expect(codes.sort()).toEqual([...listed, ...loneErrors].sort());
});

test.each([
  ['*', true],
  ['http.404', true],
  ['http.599', true],
  ['http.5xx', true],
  ['http.*', true],
  ['fail', true],
  ['fail.*', true],
  ['fail.sold_out', true],
  ['timeout', true],
  ['input.invalid', true],
  ['http.204', false],
  ['http.1xx', false],
  ['http.600', false],
  ['http', false],
  ['timeout.*', false],
  ['limit.*', false],
  ['canceled', false],
])('%s matches an error of a node: %s', (pattern, isOne) => {
  expect(isKnownPattern(pattern)).toBe(isOne);
});

test.each([
  ['http.404', ['*', 'http.*', 'http.4xx', 'http.404']],
  ['http.4xx', ['*', 'http.*', 'http.4xx']],
  ['http.bad_url', ['*', 'http.*', 'http.bad_url']],
  ['fail.a.b', ['*', 'fail.*', 'fail.a.*', 'fail.a.b']],
  ['timeout', ['*', 'timeout']],
])('whatever %s matches is matched by %j', (pattern, wider) => {
  expect(widerPatterns(pattern)).toEqual(wider);
  for (const one of pattern === 'http.4xx' ? [] : wider) expect(matches(pattern, one)).toBe(true);
});
