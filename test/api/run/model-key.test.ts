// The key of a model in Secrets Manager, as a run uses it: from the start of the flow over HTTP to the provider.

import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';
import { closeServer, listen } from '#lib/local/listen.ts';
import { triggerParams } from '#test/support/automation-costs.ts';
import { invoke } from '#test/support/call-cost.ts';
import { liveAgent } from '#test/support/flows.ts';
import { type SecretsManager, startSecretsManager } from '#test/support/secrets-manager.ts';

const name = 'agent-flow/demo/MODEL_KEY_OWN';
const completion = { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] };
let manager: SecretsManager;
let accepted = 'sk-first-0123456789';
const provider = createServer((request, response) => {
  const isAccepted = request.headers.authorization === `Bearer ${accepted}`;
  response.writeHead(isAccepted ? 200 : 401, { 'content-type': 'application/json' });
  response.end(JSON.stringify(isAccepted ? completion : { error: { message: 'Incorrect API key.' } }));
});

beforeAll(async () => {
  installAwsLambda();
  manager = await startSecretsManager('local');
  const base_url = await listen(provider, 0);
  const own = { provider: 'openai-compatible', base_url, model: 'm', api_key_ref: 'MODEL_KEY_OWN' };
  Object.assign(process.env, {
    MODELS: JSON.stringify({ own }),
    MODEL_DEFAULT: 'own',
    MODEL_SECRETS_PREFIX: 'agent-flow/demo/',
    AWS_ENDPOINT_URL_SECRETS_MANAGER: manager.url,
    EGRESS_ALLOW_PRIVATE: new URL(base_url).host,
  });
});
afterAll(async () => {
  await closeServer(provider);
  await manager[Symbol.asyncDispose]();
});

const flow = {
  version: 1,
  name: 'Ask',
  start: 'ask',
  nodes: {
    ask: { type: 'llm', prompt: 'Hello', catch: [{ on: ['model.*'], next: 'failed' }], next: 'done' },
    done: { type: 'end', output: { text: '{{ nodes.ask }}' } },
    failed: { type: 'end', output: { text: '{{ nodes.ask.error.code }}' } },
  },
};
const result = z.looseObject({ response: z.looseObject({ text: z.string() }) });
const run = async () => {
  const agent = await liveAgent({ flow });
  const options = { params: triggerParams(agent, agent.flowid), body: { message: 'x' } };
  return result.parse(await invoke('triggerFlow', agent, options)).response.text;
};

test('a run fails at the node until the key is stored, and then each uses it', async () => {
  expect(await run()).toBe('model.not_configured');
  manager.secrets.set(name, accepted);
  expect(await run()).toBe('Hi');
  expect(await run()).toBe('Hi');
  expect(manager.asked).toEqual([name, name]);
});

test('a run gets model.not_configured for a key that the provider refuses', async () => {
  accepted = 'sk-second-0123456789';
  expect(await run()).toBe('model.not_configured');
});
