// Keys of models in Secrets Manager: for how long a key is used, what a rotation needs, and what a run gets where
// there is no key.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createModelPort } from '#lib/model/port.ts';
import { createSecretKeys } from '#lib/model/secret-keys.ts';
import { type SecretsManager, startSecretsManager } from '#test/support/secrets-manager.ts';
import { type Loopback, loopback } from './loopback.ts';
import { call } from './mock-models.ts';

const name = 'agent-flow/demo/MODEL_KEY_OWN';
const completion = JSON.stringify({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] });

let manager: SecretsManager;
let provider: Loopback;
/** The keys that the provider takes, and those that it got. */
let accepted: string[];
let received: string[];
let now: number;
let ask: () => Promise<unknown>;

beforeEach(async () => {
  manager = await startSecretsManager('role-secret');
  provider = await loopback((request, response) => {
    const key = String(request.headers.authorization).replace('Bearer ', '');
    received.push(key);
    response.writeHead(accepted.includes(key) ? 200 : 401, { 'content-type': 'application/json' });
    response.end(accepted.includes(key) ? completion : '{"error":{"message":"Incorrect API key."}}');
  });
  [accepted, received, now] = [['sk-one'], [], 0];
  manager.secrets.set(name, 'sk-one');
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', manager.url);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'ASIAROLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'role-secret');
  vi.stubEnv('MODEL_SECRETS_PREFIX', 'agent-flow/demo/');
  const own = {
    provider: 'openai-compatible',
    base_url: provider.url,
    model: 'm',
    api_key_ref: 'MODEL_KEY_OWN',
  } as const;
  const secretKeys = createSecretKeys(() => now);
  const port = createModelPort({ models: { own }, defaultModel: 'own', fetch: provider.fetch, secretKeys });
  ask = async () =>
    await port({ model: {}, messages: [{ role: 'user', content: 'x' }] }, call).catch(
      (error: unknown) => error,
    );
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await manager[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

const minute = 60_000;
const rotate = (to: string) => {
  manager.secrets.set(name, to);
  accepted = [to];
};

describe('a key', () => {
  test('is read with the first call, and again after five minutes', async () => {
    expect(await ask()).toMatchObject({ output: 'Hi' });
    now += 5 * minute - 1;
    await ask();
    expect(manager.asked).toEqual([name]);
    now += 1;
    await ask();
    expect(manager.asked).toEqual([name, name]);
  });

  test('is read once for calls that begin together', async () => {
    await Promise.all([ask(), ask(), ask()]);
    expect(manager.asked).toEqual([name]);
    expect(received).toEqual(['sk-one', 'sk-one', 'sk-one']);
  });

  test('is that of the environment where the environment has one', async () => {
    vi.stubEnv('MODEL_KEY_OWN', 'sk-of-the-environment');
    accepted = ['sk-of-the-environment'];
    expect(await ask()).toMatchObject({ output: 'Hi' });
    expect(manager.asked).toEqual([]);
  });

  test('may end with the line break of the file that it was stored from', async () => {
    manager.secrets.set(name, 'sk-one\n');
    expect(await ask()).toMatchObject({ output: 'Hi' });
  });
});

describe('a rotated key', () => {
  test('is used at once when the provider refuses the former one', async () => {
    await ask();
    rotate('sk-two');
    now += 10_000;
    expect(await ask()).toMatchObject({ output: 'Hi' });
    expect(received).toEqual(['sk-one', 'sk-one', 'sk-two']);
  });

  test('is used after five minutes where the provider still takes the former one', async () => {
    await ask();
    manager.secrets.set(name, 'sk-two');
    accepted.push('sk-two');
    now += 5 * minute;
    await ask();
    expect(received).toEqual(['sk-one', 'sk-two']);
  });

  test('that another call has read is used without another request', async () => {
    await ask();
    rotate('sk-two');
    now += minute;
    await Promise.all([ask(), ask()]);
    expect(await ask()).toMatchObject({ output: 'Hi' });
    expect(manager.asked).toEqual([name, name]);
  });
});

describe('a key that the provider refuses', () => {
  const refused = {
    code: 'model.not_configured',
    message: 'openai-compatible/m refused our credentials (401).',
  };

  test('fails the call, which sends it once', async () => {
    accepted = [];
    expect(await ask()).toMatchObject(refused);
    expect(received).toEqual(['sk-one']);
  });

  test('is read again at most every ten seconds, however many calls it fails', async () => {
    accepted = [];
    await ask();
    for (let n = 0; n < 5; n += 1) expect(await ask()).toMatchObject(refused);
    expect(manager.asked).toHaveLength(1);
    now += 10_000;
    for (let n = 0; n < 5; n += 1) expect(await ask()).toMatchObject(refused);
    expect(manager.asked).toHaveLength(2);
  });

  test('is reported as refused while Secrets Manager is not available', async () => {
    await ask();
    accepted = [];
    now += minute;
    manager.refusals.push('close', 'close', 'close');
    expect(await ask()).toMatchObject(refused);
  });
});

describe('without a key', () => {
  test.each([
    [400, 'ResourceNotFoundException', 'does not exist'],
    [400, 'AccessDeniedException', 'does not exist or may not be read by this function'],
    [400, 'InvalidRequestException', 'is scheduled for deletion'],
    [400, 'DecryptionFailure', 'cannot be decrypted'],
    [400, 'UnrecognizedClientException', 'cannot be read (UnrecognizedClientException)'],
  ])('because of %d %s, a call fails with the name of the secret', async (status, code, reason) => {
    manager.refusals.push({ status, name: code });
    expect(await ask()).toMatchObject({
      code: 'model.not_configured',
      message: `The key of the model is the secret "${name}", which ${reason}.`,
    });
    expect(manager.asked).toHaveLength(1);
    expect(received).toEqual([]);
  });

  test('because the secret is empty, a call fails with the name of the secret', async () => {
    manager.secrets.set(name, ' ');
    expect(await ask()).toMatchObject({
      code: 'model.not_configured',
      message: `The key of the model is the secret "${name}", which has no text.`,
    });
  });

  const outages = [
    ['500', { status: 500, name: 'InternalServiceError' }],
    ['a throttle', { status: 400, name: 'ThrottlingException' }],
    ['a lost connection', 'close'],
  ] as const;

  test.each(outages)(
    'because of %s, a call fails as unavailable after three attempts',
    async (_what, outage) => {
      manager.refusals.push(outage, outage, outage);
      expect(await ask()).toMatchObject({
        code: 'model.unavailable',
        message: `The key of the model, "${name}", cannot be read now.`,
      });
      expect(manager.asked).toHaveLength(3);
    },
  );

  test.each(outages)('because of %s twice, a call succeeds', async (_what, outage) => {
    manager.refusals.push(outage, outage);
    expect(await ask()).toMatchObject({ output: 'Hi' });
  });

  test.each(outages)(
    'because of %s, the last one is used, and asked for again after half a minute',
    async (_what, outage) => {
      await ask();
      now += 5 * minute;
      manager.refusals.push(outage, outage, outage);
      expect(await ask()).toMatchObject({ output: 'Hi' });
      await ask();
      expect(manager.asked).toHaveLength(4);
      now += 30_000;
      await ask();
      expect(manager.asked).toHaveLength(5);
    },
  );
});
