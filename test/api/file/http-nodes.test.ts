// Files that `http` nodes send and save, over HTTP and from S3, also for callers of another organisation.
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { limits } from '#lib/flow/format/limits.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';
import { closeServer, listen } from '#lib/local/listen.ts';
import { createRunFiles } from '#lib/run/run-files.ts';
import { triggerParams } from '#test/support/automation-costs.ts';
import { invoke } from '#test/support/call-cost.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { uploadFile } from '#test/support/files.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';

const png = Buffer.from('89504e470d0a1a0a', 'hex');
const whole = randomBytes(limits.fileBytes);
const digest = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}
const received: Received[] = [];
/** What the server answers, by path. */
const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/cat.png': (response) => response.writeHead(200, { 'content-type': 'image/PNG; x=y' }).end(png),
  '/named': (response) =>
    response
      .writeHead(200, {
        'content-disposition': `attachment; filename="x"; filename*=UTF-8''..%2FB%E2%80%AEer.csv`,
      })
      .end('a,b'),
  '/empty': (response) => response.writeHead(204).end(),
  '/whole': (response) => response.end(whole),
  '/too-large': (response) => response.end(Buffer.concat([whole, Buffer.alloc(1)])),
  '/broken': (response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    setImmediate(() => response.destroy());
  },
  '/missing': (response) => response.writeHead(404, { 'content-type': 'application/json' }).end('{"a":1}'),
};

let host: string;
const server = createServer((request, response) => {
  void buffer(request).then((body) => {
    received.push({ headers: request.headers, body });
    const answer = answers[request.url ?? ''];
    if (answer) answer(response);
    else response.end('{}');
  });
});
beforeAll(async () => {
  installAwsLambda();
  host = new URL(await listen(server, 0)).host;
  process.env.EGRESS_ALLOW_PRIVATE = host;
});
afterAll(() => closeServer(server));

const flow = (path: string, node: JsonObject): JsonObject => ({
  version: 1,
  name: 'Move',
  egress: [host],
  start: 'move',
  nodes: {
    move: { type: 'http', url: `http://${host}${path}`, ...node, next: 'done' },
    done: { type: 'end', output: { output: '{{ nodes.move }}' } },
  },
});
const result = z.looseObject({
  status: z.string(),
  response: z.looseObject({ output: z.looseObject({ file: z.json().optional() }).optional() }),
  error: z.string().nullable(),
});
const start = async (agent: TestAgent, user_variables: JsonObject = {}, files: readonly string[] = []) =>
  result.parse(
    await invoke('triggerFlow', agent, {
      params: triggerParams(agent, agent.flowid),
      body: { message: 'x', user_variables, files },
    }),
  );
/** As a client over A2A of any organisation. */
const send = async (agent: TestAgent, caller: TestCaller, data: JsonObject) =>
  JSON.stringify(
    await invoke('callLiveAgent', caller, {
      params: { flowId: agent.flowid },
      headers: { 'A2A-Version': '1.0' },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ data }] } },
      },
    }),
  );
const reference = z.object({ file: z.string(), name: z.string(), media_type: z.string(), bytes: z.number() });
async function download({ key, workspaceid }: Pick<TestCaller, 'key' | 'workspaceid'>, fileid: string) {
  const { body } = await call('getFile', { key, query: { workspaceid }, params: { fileid } });
  return Buffer.from(await (await fetch(body.download?.url ?? '')).arrayBuffer());
}

describe('save', () => {
  test.each([
    ['the type and the last segment of the URL', '/cat.png', true, 'cat.png', 'image/png', png],
    ['the name in the header, without folders', '/named', true, 'Ber.csv', 'application/octet-stream', 'a,b'],
    [
      'what the flow chooses',
      '/cat.png',
      { name: 'a/{{ "b" }}.txt', media_type: 'Text/Plain' },
      'b.txt',
      'text/plain',
      png,
    ],
  ])('stores the response with %s', async (_what, path, save, name, media_type, content) => {
    const agent = await liveAgent({ flow: flow(path, { save }) });
    const { response, error } = await start(agent);
    expect(error).toBeNull();
    expect(response.output).toMatchObject({ status: 200, file: { name, media_type, bytes: content.length } });
    expect(response.output).not.toHaveProperty('body');
    const { file } = reference.parse(response.output?.file);
    expect(await download(agent, file)).toEqual(Buffer.from(content));
  });

  test('takes 25 MB, and the node that follows sends it on', async () => {
    const nodes = {
      get: { type: 'http', url: `http://${host}/whole`, save: true, next: 'put' },
      put: {
        type: 'http',
        method: 'PUT',
        url: `http://${host}/put`,
        body_file: '{{ nodes.get.file }}',
        next: 'end',
      },
      end: { type: 'end', output: { output: '{{ nodes.get }}' } },
    };
    const agent = await liveAgent({ flow: { ...flow('/', {}), start: 'get', nodes } });
    const { response, error } = await start(agent);
    expect(error).toBeNull();
    expect(response.output).toMatchObject({ file: { bytes: limits.fileBytes } });
    expect(digest(received.at(-1)?.body ?? png)).toBe(digest(whole));
  });

  test.each([
    ['one byte more', '/too-large', 'egress.too_large'],
    ['a response that breaks off', '/broken', 'http.network'],
    ['a status that is an error', '/missing', 'http.404'],
  ])('stores nothing of %s', async (_what, path, code) => {
    const caught = { catch: [{ on: [code], next: 'done' }] };
    const agent = await liveAgent({ flow: flow(path, { save: true, ...caught }) });
    const { response, error } = await start(agent);
    expect(error).toBeNull();
    expect(response.output).toMatchObject({ error: { code } });
    expect(JSON.stringify(response)).not.toContain('file_');
  });

  test('gives null for an empty response, and the body of another status that is accepted', async () => {
    const empty = await start(await liveAgent({ flow: flow('/empty', { save: true }) }));
    expect(empty.response.output).toMatchObject({ status: 204, file: null });
    const other = await start(await liveAgent({ flow: flow('/missing', { save: true, accept: [404] }) }));
    expect(other.response.output).toMatchObject({ status: 404, body: { a: 1 } });
  });

  test('stores one file if its execution is repeated, and another one if the content has changed', async () => {
    const { orgid, workspaceid, ...caller } = await newCaller();
    const files = createRunFiles({ orgid, workspaceid, caller_orgid: orgid });
    const { signal } = new AbortController();
    const labels = { key: 'run.node.1', name: 'a', media_type: 'text/plain' };
    const first = await files.save({ ...labels, content: Buffer.from('a') }, signal);
    expect(await files.save({ ...labels, content: Buffer.from('a') }, signal)).toEqual(first);
    const changed = await files.save({ ...labels, content: Buffer.from('b') }, signal);
    expect(changed.file).not.toBe(first.file);
    expect((await download({ ...caller, workspaceid }, first.file)).toString()).toBe('a');
    const other = await files.save({ ...labels, key: 'run.node.2', content: Buffer.from('a') }, signal);
    expect(other.file).not.toBe(first.file);
  });
});

describe('a body', () => {
  const upload = { name: 'cat.png', media_type: 'image/png', content: png };

  test('is the content of a file, with its type', async () => {
    const agent = await liveAgent({
      flow: flow('/put', { method: 'PUT', body_file: '{{ input.files[0] }}' }),
    });
    const { error } = await start(agent, {}, [await uploadFile(agent, upload)]);
    expect(error).toBeNull();
    expect(received.at(-1)).toMatchObject({ body: png, headers: { 'content-type': 'image/png' } });
  });

  test('is a form with files and texts', async () => {
    const body = {
      subject: 'A cat',
      file: [{ file: '{{ input.files[0] }}' }, { file: '{{ input.files[0].file }}', filename: 'b.png' }],
      note: { filename: 'n.txt', text: 'hello' },
    };
    const headers = { 'content-type': 'multipart/form-data' };
    const agent = await liveAgent({ flow: flow('/post', { method: 'POST', headers, body }) });
    const { error } = await start(agent, {}, [await uploadFile(agent, upload)]);
    expect(error).toBeNull();
    const { headers: sent, body: bytes } = received.at(-1) ?? { headers: {}, body: png };
    const form = await new Response(new Uint8Array(bytes), {
      headers: { 'content-type': sent['content-type'] ?? '' },
    }).formData();
    expect(form.get('subject')).toBe('A cat');
    const parts = form.getAll('file').filter((part) => part instanceof File);
    expect(parts.map(({ name, type, size }) => [name, type, size])).toEqual([
      ['cat.png', 'image/png', 8],
      ['b.png', 'image/png', 8],
    ]);
    expect(form.get('note')).toBeInstanceOf(File);
  });

  test.each([
    ['no reference', 'hello', 'file.bad_reference'],
    ['two references', ['file_AAAAAAAAAAAAAAAAAAAAAA', 'file_AAAAAAAAAAAAAAAAAAAAAA'], 'file.bad_reference'],
    ['a missing file', 'file_AAAAAAAAAAAAAAAAAAAAAA', 'file.not_found'],
  ])('is an error for %s', async (_what, value, code) => {
    const node = {
      method: 'PUT',
      body_file: '{{ input.user_variables.file }}',
      catch: [{ on: [code], next: 'done' }],
    };
    const count = received.length;
    const { response } = await start(await liveAgent({ flow: flow('/put', node) }), { file: value });
    expect(response.output).toMatchObject({ error: { code } });
    expect(received).toHaveLength(count);
  });
});

describe('another organisation', () => {
  test('cannot have a public agent send a file of its owner, nor the owner one of its caller', async () => {
    const node = { method: 'PUT', body_file: '{{ input.user_variables.file }}' };
    const owner = await liveAgent({ flow: flow('/put', node), visibility: 'public' });
    const own = await uploadFile(owner, { content: png });
    expect((await start(owner, { file: own })).error).toBeNull();
    const hostile = await newCaller();
    const count = received.length;
    expect(await send(owner, hostile, { file: own })).toContain('The run has no file');
    expect(received).toHaveLength(count);

    const saver = await liveAgent({ flow: flow('/cat.png', { save: true }), visibility: 'public' }, owner);
    const saved = /file_[\w-]{22}/.exec(await send(saver, hostile, {}))?.[0] ?? '';
    const sender = await liveAgent({ flow: flow('/put', node) }, owner);
    expect((await start(sender, { file: saved })).error).toContain('The run has no file');
    const { problem } = await call('getFile', {
      key: owner.key,
      query: { workspaceid: owner.workspaceid },
      params: { fileid: saved },
    });
    expect(problem.code).toBe('file_not_found');
  });
});
