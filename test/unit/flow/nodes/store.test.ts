// The node type `store`: small values that outlive a run.
import { describe, expect, test } from 'vitest';
import type { StorePort } from '#lib/flow/ports/store.ts';
import { memoryStore } from '#lib/flow/testing/memory-store.ts';
import { runNodes } from '../scripted.ts';

const done = { type: 'end', output: { result: '{{ nodes.s }}' } };
/** The output of one node, or why the run failed. */
async function use(store: StorePort, fields: object) {
  const nodes = { s: { type: 'store', next: 'done', ...fields }, done };
  const { outcome } = await runNodes(nodes, { store });
  if (outcome.status === 'completed') return outcome.response.result;
  if (outcome.status === 'failed') return outcome.error.code;
  throw new Error(outcome.status);
}

test('a value that was put is read with its version, and is gone once it is deleted', async () => {
  const store = memoryStore(false);
  expect(await use(store, { get: 'a' })).toEqual({ found: false, value: null, version: null });
  const { version } = (await use(store, { put: 'a', value: { n: '{{ 1 + 1 }}' } })) as { version: string };
  expect(await use(store, { get: 'a' })).toEqual({ found: true, value: { n: 2 }, version });
  expect(await use(store, { get: 'b' })).toMatchObject({ found: false });
  expect(await use(store, { delete: 'a' })).toEqual({ version: null });
  expect(await use(store, { get: 'a' })).toMatchObject({ found: false });
});

describe('if_version', () => {
  test('null writes only where there is no value', async () => {
    const store = memoryStore(false);
    expect(await use(store, { put: 'a', value: 1, if_version: null })).toMatchObject({ version: 'v1' });
    expect(await use(store, { put: 'a', value: 2, if_version: null })).toBe('store.conflict');
    expect(await use(store, { get: 'a' })).toMatchObject({ value: 1 });
  });

  test('of another version changes nothing', async () => {
    const store = memoryStore(false);
    await use(store, { put: 'a', value: 1 });
    for (const fields of [{ put: 'a', value: 2 }, { delete: 'a' }])
      expect(await use(store, { ...fields, if_version: 'v7' })).toBe('store.conflict');
    expect(await use(store, { put: 'a', value: 2, if_version: 'v1' })).toEqual({ version: 'v2' });
    expect(await use(store, { delete: 'a', if_version: '{{ "v2" }}' })).toEqual({ version: null });
  });

  test.each([['{{ 7 }}'], ['{{ "" }}'], [{ a: 1 }]])('%j is no version', async (if_version) => {
    expect(await use(memoryStore(false), { delete: 'a', if_version })).toBe('store.bad_version');
  });
});

test.each([
  ['empty', '{{ "" }}'],
  ['missing', '{{ input.event }}'],
  ['an object', '{{ {"a": 1} }}'],
  ['of control characters', '{{ "a\\u0000" }}'],
  ['longer than 200 characters', `{{ "${'k'.repeat(201)}" }}`],
])('a key that is %s is refused', async (_name, get) => {
  expect(await use(memoryStore(false), { get })).toBe('store.bad_key');
});

test('a key may be a number, and 200 characters long', async () => {
  const store = memoryStore(false);
  await use(store, { put: '{{ 7 }}', value: 'x' });
  expect(await use(store, { get: '7' })).toMatchObject({ value: 'x' });
  expect(await use(store, { put: '中'.repeat(200), value: 'x' })).toMatchObject({ version: 'v2' });
});

test('a value of more than 64 KB is refused', async () => {
  const text = (bytes: number) => ({ put: 'a', value: `{{ $pad("", ${bytes}, "x") }}` });
  expect(await use(memoryStore(false), text(65_534))).toMatchObject({ version: 'v1' });
  expect(await use(memoryStore(false), text(65_535))).toBe('value.too_large');
});

test('a run without a store says so', async () => {
  const { outcome } = await runNodes({ s: { type: 'store', get: 'a' } });
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'store.unavailable' } });
});

test('a write names its execution, so that one that is repeated is recognised', async () => {
  const writers: string[] = [];
  const store: StorePort = {
    ...memoryStore(false),
    write: async ({ writer, keepDays }) => `${writers.push(`${writer} ${keepDays}`)}`,
  };
  const again = {
    type: 'switch',
    cases: [{ when: '{{ nodes.s.version = "1" }}', next: 's' }],
    default: 'done',
  };
  const s = { type: 'store', put: 'a', value: 1, keep_days: 5, next: 'again' };
  await runNodes({ s, again, done }, { store });
  expect(writers).toEqual(['run-1.s.1 5', 'run-1.s.2 5']);
});
