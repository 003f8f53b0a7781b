// Where the local service may live.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openHome, readAddresses, resolveHome } from '#lib/local/home.ts';

const folder = mkdtempSync(join(tmpdir(), 'home-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a home is created with its parent folders, and may already exist', () => {
  const home = resolveHome(join(folder, 'a', 'b'));
  openHome(home);
  openHome(home);
  expect(existsSync(home.data)).toBe(true);
});

test('the default is .local in the current folder', () => {
  expect([resolveHome('').folder, resolveHome(undefined).folder]).toEqual(
    Array(2).fill(join(process.cwd(), '.local')),
  );
});

test.each([
  ['where a file is', ''],
  ['below a file', 'below'],
])('a home %s is refused in one line', (_where, below) => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const home = resolveHome(join(file, below));
  expect(() => openHome(home)).toThrow(
    `${home.folder} cannot be the home of the service: its path contains a file. Choose another folder with AGENT_FLOW_HOME.`,
  );
});

test('unreadable addresses are ignored', () => {
  const home = resolveHome(join(folder, 'addresses'));
  openHome(home);
  const read = (text: string) => {
    writeFileSync(home.addresses, text);
    return readAddresses(home);
  };
  expect(read('{"baseUrl":"http://a:1","ordersUrl":"http://a:2"}')).toEqual({
    baseUrl: 'http://a:1',
    ordersUrl: 'http://a:2',
  });
  expect([read(''), read('{}'), read('{"baseUrl":3}')]).toEqual([undefined, undefined, undefined]);
});
