// An older Node than 24 cannot load TypeScript: it would end a script with an error that does not name the reason.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

const requireNode = new URL('../../bin/require-node.mjs', import.meta.url).pathname;

test('every script that runs TypeScript checks the version of Node first', () => {
  const scripts: [string, string][] = Object.entries(packageJson.scripts);
  const running = scripts.filter(([, command]) => /\bnode (?:--\S+ )*\S+\.ts\b/.test(command));
  expect(running.length).toBeGreaterThan(30);
  // It has options of Node between `node` and the file.
  expect(running.map(([name]) => name)).toContain('build');
  // `npm run` in front of it checks it too.
  const isChecked = (command: string) => /^(node bin\/require-node\.mjs|npm run synth) && /.test(command);
  expect(running.filter(([, command]) => !isChecked(command))).toEqual([]);
});

test.each([
  ['18.20.8', 1, /^Agent Flow Service runs on Node 24, but npm found Node 18\.20\.8\. Run `npm ci` without /],
  ['24.0.0', 0, /^$/],
])('Node %s ends the check with code %i', (version, code, said) => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-flow-node-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const claim = join(folder, 'claim.cjs');
  const versions = `{ ...process.versions, node: '${version}' }`;
  writeFileSync(claim, `Object.defineProperty(process, 'versions', { value: ${versions} });`);
  const { status, stderr } = spawnSync(process.execPath, ['--require', claim, requireNode], {
    encoding: 'utf8',
  });
  expect(status).toBe(code);
  expect(stderr).toMatch(said);
});
