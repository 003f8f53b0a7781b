// Agents that answer with stored files: who may download them, and how.
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { JsonObject } from '#lib/json/json.ts';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';
import { closeServer, listen } from '#lib/local/listen.ts';
import { triggerParams } from '#test/support/automation-costs.ts';
import { invoke, request } from '#test/support/call-cost.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { createFile, uploadFile } from '#test/support/files.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';

const content = Buffer.from('id,total\n1,2\n');
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/csv' }).end(content);
});
let host: string;
beforeAll(async () => {
  installAwsLambda();
  host = new URL(await listen(server, 0)).host;
  process.env.EGRESS_ALLOW_PRIVATE = host;
});
afterAll(() => closeServer(server));

/** Answers with a file that it has saved: as a message, and as an artifact. */
const savingFlow = (): JsonObject => ({
  version: 1,
  name: 'Report',
  egress: [host],
  start: 'fetch',
  nodes: {
    fetch: { type: 'http', url: `http://${host}/orders.csv`, save: true, next: 'say' },
    say: { type: 'reply', text: 'Here.', file: { file: '{{ nodes.fetch.file }}' }, next: 'done' },
    done: {
      type: 'end',
      output: { file: '{{ nodes.fetch.file }}' },
      artifacts: [{ name: 'report', file: { file: '{{ nodes.fetch.file.file }}', filename: 'all/r.csv' } }],
    },
  },
});
const namingFlow = {
  version: 1,
  name: 'Name',
  start: 'done',
  nodes: {
    done: { type: 'end', output: {}, artifacts: [{ file: { file: '{{ input.user_variables.file }}' } }] },
  },
};

const options = (agent: TestAgent, method: string, params: JsonObject) => ({
  params: { flowId: agent.flowid },
  headers: { 'A2A-Version': '1.0' },
  body: { jsonrpc: '2.0', id: 1, method, params },
});
const message = (data: JsonObject = {}) => ({
  message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ data }] },
});
const ask = async (agent: TestAgent, caller: TestCaller, method: string, params: JsonObject) =>
  JSON.stringify(await invoke('callLiveAgent', caller, options(agent, method, params)));

const filePart = z.object({
  url: z.string(),
  filename: z.string(),
  mediaType: z.string(),
  metadata: z.json(),
});
const task = z.object({
  id: z.string(),
  artifacts: z.array(z.object({ name: z.string().optional(), parts: z.array(z.json()) })),
  history: z.array(z.object({ parts: z.array(z.json()) })),
});
const sent = z.object({ result: z.object({ task }) });
const readUrls = (text: string): readonly string[] =>
  [...text.matchAll(/"url":"(http[^"]*X-Amz-Signature[^"]*)"/g)].map(([, url = '']) =>
    JSON.parse(`"${url}"`),
  );
const download = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

describe('a caller of another organisation', () => {
  test('downloads the files of the answer, from the answer and from the task', async () => {
    const agent = await liveAgent({ flow: savingFlow(), visibility: 'public' });
    const caller = await newCaller();
    const answer = await ask(agent, caller, 'SendMessage', message());
    const { id, artifacts } = sent.parse(JSON.parse(answer)).result.task;
    const report = filePart.parse(artifacts.find(({ name }) => name === 'report')?.parts[0]);
    expect(report).toMatchObject({
      filename: 'all/r.csv',
      mediaType: 'text/csv',
      metadata: { bytes: content.length },
    });
    const response = await fetch(report.url);
    expect(response.headers.get('content-disposition')).toContain('filename="r.csv"');
    expect(Buffer.from(await response.arrayBuffer())).toEqual(content);
    const read = await ask(agent, caller, 'GetTask', { id });
    expect(readUrls(read)).toHaveLength(2);
    for (const url of readUrls(read)) expect(await download(url)).toEqual(content);
    const listed = await ask(agent, caller, 'ListTasks', { includeArtifacts: true });
    expect(readUrls(listed)).toHaveLength(2);
    const other = await newCaller();
    expect(await ask(agent, other, 'GetTask', { id })).toContain('-32001');
    const { file } = z
      .object({ file: z.string() })
      .parse(JSON.parse(/\{"file":"file_[^}]*\}/.exec(answer)?.[0] ?? ''));
    for (const { key, workspaceid } of [caller, { ...caller, workspaceid: agent.workspaceid }]) {
      const { problem } = await call('getFile', { key, query: { workspaceid }, params: { fileid: file } });
      expect(['file_not_found', 'permission_denied']).toContain(problem.code);
    }
  });

  test('receives them in a stream', async () => {
    const agent = await liveAgent({ flow: savingFlow(), visibility: 'public' });
    const streamed = options(agent, 'SendStreamingMessage', message());
    const { body } = await request('callLiveAgent', await newCaller(), streamed);
    expect(readUrls(body)).toHaveLength(2);
    expect(body).toContain('artifactUpdate');
    for (const url of readUrls(body)) expect(await download(url)).toEqual(content);
  });

  test('cannot have the agent answer with a file of its owner', async () => {
    const agent = await liveAgent({ flow: namingFlow, visibility: 'public' });
    const file = await uploadFile(agent, { content });
    expect(readUrls(await ask(agent, agent, 'SendMessage', message({ file })))).toHaveLength(1);
    const answer = await ask(agent, await newCaller(), 'SendMessage', message({ file }));
    expect(answer).toContain('TASK_STATE_FAILED');
    expect(answer).toContain('file.not_found');
    expect(readUrls(answer)).toEqual([]);
  });
});

test('a trigger answers with the reference, by which the file is downloaded', async () => {
  const agent = await liveAgent({ flow: savingFlow() });
  const body = { message: 'x' };
  const answer = await invoke('triggerFlow', agent, { params: triggerParams(agent, agent.flowid), body });
  const { response } = z
    .looseObject({ response: z.looseObject({ file: z.looseObject({ file: z.string() }) }) })
    .parse(answer);
  expect(JSON.stringify(answer)).not.toContain('X-Amz');
  const { body: found } = await call('getFile', {
    key: agent.key,
    query: { workspaceid: agent.workspaceid },
    params: { fileid: response.file.file },
  });
  expect(await download(found.download?.url ?? '')).toEqual(content);
});

test.each([
  ['a missing file', async () => 'file_AAAAAAAAAAAAAAAAAAAAAA', 'file.not_found'],
  [
    'a file without content',
    async (agent: TestAgent) => (await createFile(agent, { content })).fileid,
    'file.not_uploaded',
  ],
  ['what is no reference', async () => 'hello', 'file.bad_reference'],
])('%s in an answer is an error', async (_what, makeFile, code) => {
  const agent = await liveAgent({ flow: namingFlow });
  const answer = await ask(agent, agent, 'SendMessage', message({ file: await makeFile(agent) }));
  expect(answer).toContain('TASK_STATE_FAILED');
  expect(answer).toContain(code);
});
