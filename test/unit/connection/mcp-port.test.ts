// The MCP port against a real server of the official SDK in another process, in both eras of the protocol.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type ClosableMcpPort, createMcpPort } from '#lib/mcp/port.ts';
import { type ServerProcess, startServer } from '#test/support/server-process.ts';
import { call, connectWith, fetchTo } from './connections.ts';
import { loopback, readText } from './loopback.ts';

let server: ServerProcess;
let port: ClosableMcpPort;

beforeAll(async () => {
  server = await startServer('mcp');
});
afterAll(() => server.stop());
afterEach(async () => await port.close());

const crm = (hosts = [server.host]) => ({
  crm: { type: 'http_bearer', hosts, credential: { token: 'hunter2-hunter2' } },
});

function newPort(hosts?: string[]) {
  port = createMcpPort(connectWith({ fetch: fetchTo(server.host), values: crm(hosts) }));
  return port;
}

const at = (path: string, more = {}) => ({ url: `${server.url}${path}`, egress: [server.host], ...more });

describe.each(['/mcp', '/session'])('a server at %s', (path) => {
  test('lists its tools', async () => {
    const tools = await newPort().list(at(path), call);
    expect(tools.map(({ name }) => name)).toContain('fail');
    expect(tools.find(({ name }) => name === 'add')).toMatchObject({
      description: 'Adds.',
      parameters: { type: 'object', required: ['a', 'b'] },
    });
  });

  test('returns structured content, text, or content blocks unchanged', async () => {
    const { call: use } = newPort();
    expect(await use(at(path), 'add', { a: 1, b: 2 }, call)).toEqual({ content: { sum: 3 }, isError: false });
    expect(await use(at(path), 'say', { words: ['one', 'two'] }, call)).toEqual({
      content: 'one\ntwo',
      isError: false,
    });
    expect(await use(at(path), 'show', {}, call)).toEqual({
      content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }],
      isError: false,
    });
  });

  test('returns integers that a number would round as text, and counts them', async () => {
    expect(await newPort().call(at(path), 'find', {}, call)).toEqual({
      content: { id: '820982911946154508', even: 2 ** 53, name: 'Zoë' },
      isError: false,
      kept: 1,
    });
  });

  test('reports a failed tool with the message of the tool', async () => {
    expect(await newPort().call(at(path), 'fail', {}, call)).toEqual({
      content: 'The warehouse is on fire.',
      isError: true,
    });
  });

  test('refuses invalid arguments and unknown tools', async () => {
    const outcome = async (tool: string, args: { a?: string }) => {
      try {
        return (await newPort().call(at(path), tool, args, call)).isError;
      } catch (error) {
        return error;
      }
    };
    for (const refused of [await outcome('add', { a: 'one' }), await outcome('dance', {})]) {
      if (refused !== true) expect(refused).toMatchObject({ name: 'NodeError', code: 'mcp.error' });
    }
  });

  test('that is slower than the time limit of the node fails with timeout', async () => {
    const abort = new AbortController();
    const { list, call: use } = newPort();
    await list(at(path), call);
    const answer = use(at(path), 'sleep', {}, { ...call, signal: abort.signal });
    setImmediate(() => abort.abort());
    await expect(answer).rejects.toMatchObject({
      code: 'timeout',
      message: `${server.host} did not answer in time.`,
    });
  });

  test('that sends more than a megabyte fails', async () => {
    await expect(newPort().call(at(path), 'flood', {}, call)).rejects.toMatchObject({
      code: 'egress.too_large',
    });
  });

  test('can be called again after a failed call', async () => {
    const { call: use } = newPort();
    await expect(use(at(path), 'flood', {}, call)).rejects.toThrow();
    expect(await use(at(path), 'say', { words: ['again'] }, call)).toMatchObject({ content: 'again' });
  });

  test('serves many concurrent calls, and one that fails does not affect the others', async () => {
    const { call: use } = newPort();
    const flood = use(at(path), 'flood', {}, call);
    const answers = [1, 2, 3].map((n) => use(at(path), 'add', { a: n, b: n }, call));
    await expect(flood).rejects.toMatchObject({ code: 'egress.too_large' });
    expect((await Promise.all(answers)).map(({ content }) => content)).toEqual([
      { sum: 2 },
      { sum: 4 },
      { sum: 6 },
    ]);
  });

  test('gets the credential of the connection, which is redacted in its results', async () => {
    const { call: use } = newPort();
    expect(await use(at(path), 'whoami', {}, call)).toMatchObject({ content: 'You are nobody.' });
    const connectionFetch = at(path, { connection: 'crm' });
    expect(await use(connectionFetch, 'whoami', {}, call)).toMatchObject({
      content: 'You are Bearer [secret].',
    });
    expect(await use(connectionFetch, 'blab', {}, call)).toMatchObject({
      content: 'I was sent Bearer [secret]',
    });
  });

  test('does not get the credential when the connection is for another host', async () => {
    const answer = newPort(['crm.example']).call(at(path, { connection: 'crm' }), 'whoami', {}, call);
    await expect(answer).rejects.toMatchObject({ code: 'connection.host' });
  });
});

describe('the list of tools', () => {
  test('has the tools of all pages, and is read once per run', async () => {
    const { list } = newPort();
    const first = await list(at('/paged?pages=3'), call);
    expect(first.map(({ name }) => name)).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
    expect(await list(at('/paged?pages=3'), call)).toBe(first);
  });

  test('with endless pages is refused', async () => {
    await expect(newPort().list(at('/paged?pages=1000'), call)).rejects.toMatchObject({
      code: 'mcp.too_many_tools',
    });
  });
});

const open = async () => Number(await (await fetch(`${server.url}/sessions`)).text());

test('a failed call does not close the session of another', async () => {
  const before = await open();
  const { call: use, close } = newPort();
  await expect(use(at('/session'), 'flood', {}, call)).rejects.toThrow();
  await use(at('/session'), 'say', { words: ['again'] }, call);
  expect(await open()).toBe(before + 1);
  await close();
});

test('the end of a run closes its sessions', async () => {
  const before = await open();
  const { list, close } = newPort();
  await list(at('/session'), call);
  expect(await open()).toBe(before + 1);
  await close();
  expect(await open()).toBe(before);
});

describe('a failure has a code', () => {
  test.each([
    [401, 'mcp.unauthorized'],
    [403, 'mcp.unauthorized'],
    [404, 'mcp.not_found'],
    [429, 'mcp.rate_limited'],
    [503, 'mcp.unavailable'],
  ])('a server that answers %d', async (status, code) => {
    await expect(newPort().list(at(`/${status}`), call)).rejects.toMatchObject({ name: 'NodeError', code });
  });

  test.each([
    [429, 'mcp.rate_limited'],
    [503, 'mcp.unavailable'],
  ])('a server that answers %d and says when to try again', async (status, code) => {
    await using busy = await loopback(async (request, response) => {
      await readText(request);
      response.writeHead(status, { 'retry-after': '7' }).end();
    });
    port = createMcpPort(connectWith({ fetch: busy.fetch }));
    await expect(port.list({ url: busy.url, egress: [busy.host] }, call)).rejects.toMatchObject({
      code,
      retryAfter: '7',
    });
  });

  test('a host that is not in egress, and one that refuses connections', async () => {
    await expect(newPort().list(at('/mcp', { egress: [] }), call)).rejects.toMatchObject({
      code: 'egress.host_not_listed',
    });
    const gone = await loopback(() => undefined);
    await gone[Symbol.asyncDispose]();
    port = createMcpPort(connectWith({ fetch: gone.fetch }));
    await expect(port.list({ url: gone.url, egress: [gone.host] }, call)).rejects.toMatchObject({
      code: 'mcp.unavailable',
    });
  });

  test('a host that is not an MCP server', async () => {
    await using web = await loopback(async (request, response) => {
      await readText(request);
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>');
    });
    port = createMcpPort(connectWith({ fetch: web.fetch }));
    await expect(port.list({ url: web.url, egress: [web.host] }, call)).rejects.toMatchObject({
      code: 'mcp.bad_answer',
    });
  });

  test('a connection without a value', async () => {
    await expect(newPort().list(at('/mcp', { connection: 'erp' }), call)).rejects.toMatchObject({
      code: 'connection.missing',
    });
  });
});
