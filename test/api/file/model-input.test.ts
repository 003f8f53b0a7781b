// Stored files in runs: which of them a run may use, and what the model receives of them, over HTTP and from S3.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { JsonObject } from '#lib/json/json.ts';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';
import { triggerParams } from '#test/support/automation-costs.ts';
import { card } from '#test/support/builders.ts';
import { invoke, request } from '#test/support/call-cost.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { createFile, uploadFile } from '#test/support/files.ts';
import { liveAgent } from '#test/support/flows.ts';
import { type ModelServer, startModelServer } from '#test/support/model-server.ts';

let server: ModelServer;
beforeAll(async () => {
  installAwsLambda();
  server = await startModelServer(...Array.from({ length: 10 }, () => ({ text: 'A cat.' })));
  const model = { provider: 'openai-compatible', base_url: `${server.url}/v1`, model: 'eyes' };
  const blind = { ...model, model: 'blind', input_types: [] };
  process.env.MODELS = JSON.stringify({ eyes: model, blind });
  process.env.MODEL_DEFAULT = 'eyes';
  process.env.EGRESS_ALLOW_PRIVATE = server.host;
});
afterAll(() => server[Symbol.asyncDispose]());

const png = Buffer.from('89504e470d0a1a0a', 'hex');
const picture = { name: 'cat.png', media_type: 'image/png', content: png };
const flow = (node: JsonObject = {}): JsonObject => ({
  version: 1,
  name: 'Look',
  start: 'look',
  nodes: {
    look: {
      type: 'llm',
      prompt: 'What is it?',
      files: '{{ input.files }}',
      ...node,
      next: 'done',
    },
    done: { type: 'end', output: { text: '{{ nodes.look }}', files: '{{ input.files }}' } },
  },
});
const result = z.looseObject({
  status: z.string(),
  response: z.looseObject({}),
  error: z.string().nullable(),
});
const start = async (agent: TestCaller & { flowid: string }, body: object) =>
  result.parse(
    await invoke('triggerFlow', agent, {
      params: triggerParams(agent, agent.flowid),
      body: { message: 'x', ...body },
    }),
  );

test('a model gets the content of a stored file, and the flow sees a reference', async () => {
  const agent = await liveAgent({ flow: flow() });
  const file = await uploadFile(agent, picture);
  const { response, error } = await start(agent, { files: [file] });
  expect(error).toBeNull();
  expect(response).toEqual({
    text: 'A cat.',
    files: [{ file, name: 'cat.png', media_type: 'image/png', bytes: 8 }],
  });
  expect(JSON.stringify(server.asked.at(-1))).toContain(`data:image/png;base64,${png.toString('base64')}`);
});

test('a model that the tenant declares without files is not called with one', async () => {
  const agent = await liveAgent({ flow: { ...flow(), models: { default: { model: 'blind' } } } });
  const asked = server.asked.length;
  const { error } = await start(agent, { files: [await uploadFile(agent, picture)] });
  expect(error).toContain('openai-compatible/blind does not take files of type image/png');
  expect(server.asked).toHaveLength(asked);
});

test('a file that was not uploaded fails the node', async () => {
  const agent = await liveAgent({ flow: flow() });
  const { fileid } = await createFile(agent, picture);
  const { error } = await start(agent, { files: [fileid] });
  expect(error).toContain('was not uploaded');
});

describe('another organisation', () => {
  const variables = flow({ files: ['{{ input.user_variables.file }}'] });

  test('cannot start a run with a file of this one, nor can another workspace', async () => {
    const agent = await liveAgent({ flow: flow() });
    const file = await uploadFile(await newCaller(), picture);
    const elsewhere = await uploadFile({ ...agent, workspaceid: 'ws_elsewhere' }, picture);
    for (const id of [file, elsewhere]) {
      const options = { params: triggerParams(agent, agent.flowid), body: { message: 'x', files: [id] } };
      const { statusCode, body } = await request('triggerFlow', agent, options);
      expect(statusCode).toBe(400);
      expect(JSON.parse(body).errors).toEqual([
        { pointer: '/body/files/0', detail: 'must be a file of the workspace' },
      ]);
    }
  });

  test('cannot have a public agent read a file of its owner by naming the id', async () => {
    const owner = await liveAgent({ flow: variables, visibility: 'public' });
    const file = await uploadFile(owner, picture);
    expect((await start(owner, { user_variables: { file } })).status).toBe('completed');
    const asked = server.asked.length;
    const hostile = await newCaller();
    const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ data: { file } }] };
    const answer = await invoke('callLiveAgent', hostile, {
      params: { flowId: owner.flowid },
      headers: { 'A2A-Version': '1.0' },
      body: { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } },
    });
    expect(JSON.stringify(answer)).toContain('TASK_STATE_FAILED');
    expect(JSON.stringify(answer)).toContain('The run has no file');
    expect(server.asked).toHaveLength(asked);
  });
});

test('a file of an A2A message reaches the model', async () => {
  const skill = { id: 'look', name: 'Look', description: 'Looks at pictures.' };
  const modes = { inputModes: ['text/plain', 'image/png'], outputModes: ['application/json'] };
  const agent_card = card({ skills: [{ ...skill, ...modes }] });
  const agent = await liveAgent({ flow: flow(), agent_card });
  const parts = [
    { text: 'Look' },
    { raw: png.toString('base64'), mediaType: 'image/png', filename: 'c.png' },
  ];
  const answer = await invoke('callLiveAgent', agent, {
    params: { flowId: agent.flowid },
    headers: { 'A2A-Version': '1.0' },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: { messageId: 'm2', role: 'ROLE_USER', parts } },
    },
  });
  expect(JSON.stringify(answer)).toContain('TASK_STATE_COMPLETED');
  expect(JSON.stringify(answer)).toContain('"part":1');
  expect(JSON.stringify(server.asked.at(-1))).toContain(png.toString('base64'));
});
