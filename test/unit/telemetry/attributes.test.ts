import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { attributes, describeModel } from '#lib/telemetry/attributes.ts';

test('docs/telemetry.md has exactly the attributes of the table', () => {
  const text = readFileSync(new URL('../../../docs/telemetry.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `([\w.]+)` \| ([^|]+) \| ([^|]*) \| (yes)? ?\|$/gm)];
  expect(
    rows.map(([, name, on, means, isContent]) => [name, on, means?.trim(), isContent === 'yes']),
  ).toEqual(Object.values(attributes).map((row) => [row.name, row.on, row.means, 'isContent' in row]));
});

test('no two rows have the same name', () => {
  const names = Object.values(attributes).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test.each([
  ['bedrock/amazon.nova-lite-v1:0', 'aws.bedrock', 'amazon.nova-lite-v1:0'],
  ['openai-compatible/meta/llama', 'openai', 'meta/llama'],
  ['other/x', 'other', 'x'],
])('%s is the provider %s and the model %s', (model, provider, name) => {
  expect(describeModel(model)).toEqual({ provider, requestModel: name, responseModel: name });
});
