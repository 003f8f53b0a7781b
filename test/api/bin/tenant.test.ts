// `npm run tenant -- new`, where nobody can answer. What it refuses leaves no file behind.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '#lib/infra/bundle-folder.ts';
import { runScript } from '#test/support/run-script.ts';

async function newTenant(...options: string[]) {
  const file = join(root, 'tenants/not-kept.json');
  onTestFinished(() => rmSync(file, { force: true }));
  const script = runScript('tenant', ['new', 'not-kept', ...options]);
  return { code: await script.ended, printed: script.printed(), isWritten: existsSync(file) };
}

test('all options that are missing are named at once', async () => {
  const { code, printed, isWritten } = await newTenant();
  expect({ code, isWritten }).toEqual({ code: 1, isWritten: false });
  expect(printed).toContain('No tenant was written: Nobody can be asked here: give --region and --model.');
});

test('a profile of another geography is refused', async () => {
  const options = ['--region', 'us-west-2', '--model', 'eu.amazon.nova-lite-v1:0'];
  const { code, printed, isWritten } = await newTenant(...options);
  expect({ code, isWritten }).toEqual({ code: 1, isWritten: false });
  expect(printed).toContain('profiles that begin with "eu." cannot be called in us-west-2');
});
