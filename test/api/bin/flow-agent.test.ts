// `agent-flow` with agent files, with several files, and with connections of a run in the terminal.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeServer, listen } from '#lib/local/listen.ts';
import { runScript } from '#test/support/run-script.ts';

let folder: string;
let server: Server;
let host: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-'));
  server = createServer(({ headers }, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ length: headers.authorization?.length ?? 0 }));
  });
  host = new URL(await listen(server, 0)).host;
});
afterAll(async () => {
  await closeServer(server);
  await rm(folder, { recursive: true });
});

async function flow(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const script = runScript('flow', args, { NO_COLOR: '1', MODELS: undefined, ...env });
  script.child.stdin?.end();
  const code = await script.ended;
  return { code, printed: script.printed(), output: script.output() };
}

async function file(name: string, content: string | object): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const echo = {
  ...{ version: 1, name: 'Echo', start: 'a' },
  nodes: { a: { type: 'end', output: { shop: '{{ env.SHOP }}' } } },
  tests: [{ input: {}, expect: "{{ response.shop = 'Toys' }}" }],
};
const agentText = `flowid: echo
flow: flow.json
env_variable: { SHOP: Toys }
agent_card:
  name: Echo
  description: Says it.
  skills: [{ id: echo, name: Echo, description: Repeats. }]
`;

describe('an agent file', { concurrent: true }, () => {
  test('stands for its flow, and its folder for the file', async () => {
    const path = await file('good/agent.yaml', agentText);
    await file('good/flow.json', echo);
    expect(await flow(['check', join(path, '..')])).toMatchObject({
      code: 0,
      output: '"Echo" is a valid flow of 1 node.\n',
    });
    expect((await flow(['test', path])).output).toContain('1 passed, 0 failed.');
  });

  test('is checked as the service checks it, with positions in both files', async () => {
    const path = await file('bad/agent.yaml', agentText.replace('name: Echo\n', 'nmae: Echo\n'));
    await file('bad/flow.json', JSON.stringify(echo).replace('"end"', '"edn"'));
    const { code, output } = await flow(['check', path, '--json']);
    const { ok, files } = JSON.parse(output);
    expect([code, ok]).toEqual([1, false]);
    expect(files[0].mistakes).toEqual([
      expect.objectContaining({ pointer: '/agent_card/name', file: path, line: 4 }),
      expect.objectContaining({ pointer: '/agent_card/nmae', file: path, line: 5 }),
      expect.objectContaining({ pointer: '/nodes/a/type', file: join(path, '../flow.json'), line: 1 }),
    ]);
  });

  test('in a folder without one is missed by name', async () => {
    await mkdir(join(folder, 'empty'));
    const { code, printed } = await flow(['build', join(folder, 'empty')]);
    expect([code, printed]).toEqual([
      1,
      expect.stringMatching(/has no agent file: expected one of agent\.yaml/),
    ]);
  });
});

test('several files are checked at once: one that is wrong or missing does not hide the others', async () => {
  const good = await file('several.json', echo);
  const { code, printed } = await flow(['check', good, join(folder, 'missing.json'), good]);
  expect(code).toBe(1);
  expect(printed).toContain('missing.json cannot be read: there is no such file or folder.');
  expect(printed).toContain('2 valid, 1 with mistakes.');
});

describe('a connection', { concurrent: true }, () => {
  const connection = (some: object = {}) => ({
    type: 'http_bearer',
    hosts: [host],
    credential: { token: 'abcdefgh' },
    ...some,
  });
  const calling = () => ({
    ...{ version: 1, name: 'Calls', start: 'a', egress: [host] },
    connections: { 'my-crm': { type: 'http_bearer', hosts: [host] } },
    nodes: {
      a: { type: 'http', url: `http://${host}/`, connection: 'my-crm', next: 'b' },
      b: { type: 'end', output: { length: '{{ nodes.a.body.length }}' } },
    },
  });
  const run = async (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    await flow(['run', await file('calling.json', calling()), '--allow-private', host, ...args], env);

  test('comes from a file, or from the environment', async () => {
    const given = await file('connections.yaml', JSON.stringify({ 'my-crm': connection() }));
    const sent = { length: 'Bearer abcdefgh'.length };
    expect(JSON.parse((await run(['--connections', given])).output).response).toEqual(sent);
    const fromVariable = await run([], { CONNECTION_MY_CRM: JSON.stringify(connection()) });
    expect(JSON.parse(fromVariable.output).response).toEqual(sent);
    expect(fromVariable.printed).not.toContain('abcdefgh');
  });

  test('that is missing fails the node that needs it', async () => {
    const { code, output, printed } = await run([]);
    expect([code, JSON.parse(output).failure]).toEqual([
      1,
      expect.objectContaining({ code: 'connection.missing', node_id: 'a' }),
    ]);
    expect(printed).toContain('with --connections <file>, or in the variable CONNECTION_MY_CRM.');
  });

  test.each([
    ['not JSON', 'abcdefgh', 'The variable CONNECTION_MY_CRM is not JSON.'],
    [
      'of no known type',
      JSON.stringify({ type: 'token', token: 'abcdefgh' }),
      'The connection "my-crm" is not valid: /type',
    ],
    [
      'of a type whose tokens change',
      JSON.stringify({
        ...{ type: 'oauth_user', hosts: ['a.example'] },
        credential: { token_url: 'https://a.example/t', client_id: 'c', refresh_token: 'abcdefgh' },
      }),
      'which only the service can use',
    ],
  ])('that is %s is refused without being printed', async (_what, text, said) => {
    const { code, printed } = await run([], { CONNECTION_MY_CRM: text });
    expect([code, printed]).toEqual([1, expect.stringContaining(said)]);
    expect(printed).not.toContain('abcdefgh');
  });
});
