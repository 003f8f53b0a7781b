// A function whose models cannot be read fails while it starts, as Lambda starts it: in a process of its own.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Loads what runs flows; what it printed when it failed. */
async function failureWith(env: NodeJS.ProcessEnv): Promise<string> {
  const load = "await import('#functions/run/run-queued.ts')";
  const args = ['--input-type=module', '-e', load];
  return await promisify(execFile)(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
  }).then(
    () => '',
    ({ stderr }: { stderr: string }) => stderr,
  );
}

test.each([
  ['no JSON', { MODELS: '{' }, 'MODELS is not valid JSON.'],
  ['a model without a provider', { MODELS: '{"one":{"model":"m"}}' }, 'one.provider'],
  ['a default that is none of them', { MODELS: '{}', MODEL_DEFAULT: 'one' }, 'MODEL_DEFAULT must be one of'],
])('a function refuses to start with %s, and reports the reason', async (_what, env, said) => {
  expect(await failureWith(env)).toContain(said);
});

test('a function starts only with valid models', async () => {
  const MODELS = JSON.stringify({ one: { provider: 'bedrock', model: 'amazon.nova-lite-v1:0' } });
  expect(await failureWith({ MODELS, MODEL_DEFAULT: 'one' })).toBe('');
});
