// The tenant's models as configured, and which of them a flow's choice means.
import { describe, expect, test } from 'vitest';
import { parseTenantModels, readApiKey, selectModel } from '#lib/model/catalog.ts';

const fast = {
  provider: 'openai-compatible',
  base_url: 'https://api.example.com/v1',
  model: 'small',
} as const;
const local = { ...fast, base_url: 'http://127.0.0.1:11434/v1' } as const;
const smart = {
  provider: 'bedrock',
  model: 'anthropic.claude-3-haiku-20240307-v1:0',
  region: 'eu-central-1',
} as const;
const guarded = { ...smart, guardrail: { id: 'abc123', version: '3' } } as const;
const ofOtherAccount = 'arn:aws:bedrock:eu-central-1:111122223333:guardrail/abc123';

describe('MODELS and MODEL_DEFAULT', () => {
  test.each([
    [undefined, undefined, {}, undefined],
    ['{}', undefined, {}, undefined],
    [JSON.stringify({ fast }), undefined, { fast }, 'fast'],
    [JSON.stringify({ fast, smart }), 'smart', { fast, smart }, 'smart'],
    [JSON.stringify({ guarded }), undefined, { guarded }, 'guarded'],
  ])('%s with the default %s is accepted', (models, chosen, catalog, defaultModel) => {
    expect(parseTenantModels(models, chosen)).toEqual({ models: catalog, defaultModel });
  });

  test.each([
    ['{', 'x', 'MODELS is not valid JSON.'],
    ['[]', undefined, 'expected record'],
    [JSON.stringify({ Fast: fast }), 'Fast', 'Fast'],
    [JSON.stringify({ fast: { ...fast, provider: 'openai' } }), 'fast', 'fast.provider'],
    [JSON.stringify({ fast: { ...fast, api_key: 'sk-1' } }), 'fast', 'api_key'],
    [JSON.stringify({ fast: { ...fast, api_key_ref: 'AWS_SECRET_ACCESS_KEY' } }), 'fast', 'fast.api_key_ref'],
    [
      JSON.stringify({ fast: { ...fast, base_url: 'https://u:p@api.example.com/v1' } }),
      'fast',
      'fast.base_url',
    ],
    [
      JSON.stringify({ fast: { ...fast, base_url: 'https://api.example.com/v1?key=1' } }),
      'fast',
      'fast.base_url',
    ],
    [JSON.stringify({ fast: { ...fast, base_url: 'api.example.com' } }), 'fast', 'expected an http(s) URL'],
    [JSON.stringify({ smart: { ...smart, region: 'Frankfurt' } }), 'smart', 'smart.region'],
    [JSON.stringify({ fast: { ...fast, guardrail: { id: 'a', version: '1' } } }), 'fast', 'fast.guardrail'],
    [JSON.stringify({ smart: { ...guarded, guardrail: { id: 'a' } } }), 'smart', 'smart.guardrail.version'],
    [
      JSON.stringify({ smart: { ...guarded, guardrail: { id: `${ofOtherAccount}/*`, version: '1' } } }),
      'smart',
      'smart.guardrail.id',
    ],
    [
      JSON.stringify({ fast, smart }),
      undefined,
      'MODEL_DEFAULT must be one of the names in MODELS: fast, smart.',
    ],
    [JSON.stringify({ fast }), 'smart', 'MODEL_DEFAULT must be one of the names in MODELS: fast.'],
    [undefined, 'smart', 'MODEL_DEFAULT must be one of the names in MODELS: (none).'],
  ])('%s with the default %s is refused with the path: %s', (models, chosen, message) => {
    expect(() => parseTenantModels(models, chosen)).toThrow(message);
  });
});

describe('the selection of a model', () => {
  const tenant = { models: { fast, local, smart }, defaultModel: 'smart' };

  test.each([
    ['nothing', {}, smart],
    ['a name', { model: 'local' }, local],
    ['a provider and its model', { provider: 'bedrock', model: smart.model }, smart],
    ['the first of two that are equal in that', { provider: fast.provider, model: 'small' }, fast],
    ['an address, too', { provider: fast.provider, model: 'small', base_url: local.base_url }, local],
    [
      'an address with a slash at the end',
      { provider: fast.provider, model: 'small', base_url: `${local.base_url}/` },
      local,
    ],
  ])('of %s is found', (_what, choice, entry) => {
    expect(selectModel(choice, tenant)).toEqual(entry);
  });

  test.each([
    [{ model: 'small' }],
    [{ model: 'toString' }],
    [{ provider: 'bedrock' }],
    [{ provider: 'bedrock', model: 'smart' }],
    [{ provider: 'bedrock', model: smart.model, base_url: 'https://api.example.com/v1' }],
    [{ base_url: fast.base_url, model: 'fast' }],
    [{ provider: fast.provider, model: 'small', base_url: 'https://api.example.com' }],
  ])('%j is not found', (choice) => {
    expect(selectModel(choice, tenant)).toBeUndefined();
  });
});

test('a key is read when it is used, and not printed', () => {
  process.env.MODEL_KEY_TEST = 'sk-hunter2';
  try {
    expect(readApiKey('MODEL_KEY_TEST')?.reveal()).toBe('sk-hunter2');
    expect(`${readApiKey('MODEL_KEY_TEST')}`).toBe('[secret]');
  } finally {
    delete process.env.MODEL_KEY_TEST;
  }
  expect(readApiKey('MODEL_KEY_TEST')).toBeUndefined();
});
