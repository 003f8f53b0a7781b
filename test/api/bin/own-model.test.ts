// `npm start` with a model of the developer, as a newcomer with a key or with Ollama starts it.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json as readJson } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { closeServer, listen } from '#lib/local/listen.ts';
import { startLocal } from '#test/support/local-start.ts';

const requestBody = z.looseObject({ model: z.string() });

/** Lists its models, and completes with the name of the one that is asked. */
async function modelServer() {
  const authorizations: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    authorizations.push(request.headers.authorization);
    response.writeHead(200, { 'content-type': 'application/json' });
    if (request.method === 'GET') {
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'qwen3:8b' }, { id: 'mistral' }] }));
      return;
    }
    const { model } = requestBody.parse(await readJson(request));
    const message = { role: 'assistant', content: `I am ${model}.` };
    response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
  });
  const url = await listen(server, 0);
  onTestFinished(() => closeServer(server));
  return { url: `${url}/v1`, authorizations };
}

const ask = (models: object) => ({
  version: 1,
  name: 'Ask',
  models,
  start: 'ask',
  nodes: {
    ask: { type: 'llm', prompt: '{{ input.message }}', next: 'done' },
    done: { type: 'end', output: { said: '{{ nodes.ask }}' } },
  },
});

test('OPENAI_BASE_URL makes the models of a local server those of flows, without a file', async () => {
  const home = await mkdtemp(join(tmpdir(), 'agent-flow-own-model-'));
  onTestFinished(() => rm(home, { recursive: true }));
  const { url, authorizations } = await modelServer();
  const { ready, send, stop, printed } = await startLocal(home, {
    OPENAI_BASE_URL: url,
    OPENAI_API_KEY: 'sk-top-secret',
  });
  onTestFinished(() => void stop());
  expect(printed).toContain('it uses the model qwen3-8b');
  expect(printed).toContain('qwen3-8b, mistral, by OPENAI_BASE_URL');

  const path = `/api/v1/ai/trigger/${ready.workspaceid}`;
  for (const [models, said] of [
    [{}, 'I am qwen3:8b.'],
    [{ default: { model: 'mistral' } }, 'I am mistral.'],
  ] as const) {
    const agent_card = {
      name: 'Ask',
      description: 'Asks.',
      skills: [{ id: 'ask', name: 'Ask', description: 'Asks.' }],
    };
    const flowid = `ask-${Object.keys(models).length}`;
    const build = { flowid, agent_card, flow: ask(models) };
    const row = await send(`POST /api/v1/a2a-registry?workspaceid=${ready.workspaceid}`, build);
    const { a2aregistryid } = z.looseObject({ a2aregistryid: z.string() }).parse(row);
    await send(`PUT /api/v1/a2a-registry/${a2aregistryid}/promote-live`);
    const run = await send(`POST ${path}/${flowid}/live`, { message: 'Who are you?' });
    expect(run).toMatchObject({ status: 'completed', response: { said } });
  }
  expect(authorizations).toEqual(['Bearer sk-top-secret', 'Bearer sk-top-secret', 'Bearer sk-top-secret']);
  expect(printed).not.toContain('top-secret');
  expect(await readFile(join(home, 'environment.json'), 'utf8')).not.toContain('top-secret');
  expect(await stop()).toBe(0);
});
