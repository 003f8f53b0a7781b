import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readTenants } from '#lib/cli/read-tenants.ts';

test.each([
  ['{"id": "acme"', ["must be readable JSON: Expected ',' or '}'"]],
  ['{"id": "acme", "modelDefault": "a"}', ['models: ']],
])('mistakes in %s end the program with a line for each', (text, said) => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-flow-tenants-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'acme.json');
  writeFileSync(file, text);
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => {
    throw new Error('exited');
  });
  const print = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  expect(() => readTenants(folder)).toThrow('exited');
  expect(exit).toHaveBeenCalledExactlyOnceWith(1);
  const lines = String(print.mock.calls[0]?.[0]).split('\n');
  expect(lines).toEqual(said.map((each) => expect.stringContaining(`${file}: ${each}`)));
});
