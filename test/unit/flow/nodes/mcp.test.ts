// The node type `mcp`.
import { expect, test } from 'vitest';
import type { McpAnswer, McpServer } from '#lib/flow/ports/mcp.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { mistakes, withNode } from '../check/faulty-flows.ts';
import { runNodes } from '../scripted.ts';

const flow = { egress: ['kb.example'], connections: { kb: { type: 'http_bearer', hosts: ['kb.example'] } } };
const search = {
  type: 'mcp',
  server: 'https://kb.example/mcp',
  tool: 'search',
  arguments: { q: '{{ input.message }}' },
  connection: 'kb',
};

async function searched(answer: McpAnswer, node: JsonObject = search) {
  const calls: [McpServer, string, JsonObject][] = [];
  const { outcome } = await runNodes(
    { a: { ...node, next: 'b' }, b: { type: 'end', output: { found: '{{ nodes.a }}' } } },
    {
      mcp: {
        list: async () => [],
        call: async (server, tool, args) => {
          calls.push([server, tool, args]);
          return answer;
        },
      },
    },
    { flow, options: { input: { message: 'refunds', user_variables: {} } } },
  );
  return { outcome, calls };
}

test('calls the tool with the filled-in arguments, over the connection, within the egress of the flow', async () => {
  const content: Json = { hits: [1] };
  const { outcome, calls } = await searched({ content, isError: false });
  expect(calls).toEqual([
    [{ url: 'https://kb.example/mcp', connection: 'kb', egress: ['kb.example'] }, 'search', { q: 'refunds' }],
  ]);
  expect(outcome).toEqual({ status: 'completed', response: { found: { hits: [1] } } });
});

test('a tool that reports a failure is the error mcp.tool_error', async () => {
  const { outcome } = await searched({ content: 'no index', isError: true });
  expect(outcome).toMatchObject({
    error: { code: 'mcp.tool_error', message: 'search of kb.example failed: no index' },
  });
});

test('arguments that turn out to be no object are not sent', async () => {
  const { outcome, calls } = await searched(
    { content: 1, isError: false },
    { ...search, arguments: '{{ input.message }}' },
  );
  expect(outcome).toMatchObject({ error: { code: 'mcp.bad_arguments' } });
  expect(calls).toEqual([]);
});

test('a run without access to MCP servers fails with mcp.unavailable', async () => {
  const { outcome } = await runNodes({ a: search }, {}, { flow });
  expect(outcome).toMatchObject({ error: { code: 'mcp.unavailable' } });
});

test.each([
  [
    'a server that is not in egress',
    { server: 'https://other.example/mcp' },
    '/nodes/a/server',
    'not in `egress`',
  ],
  [
    'a server that data could choose',
    { server: 'https://api.example.com/{{ input.message }}' },
    '/nodes/a/server',
    'without expressions',
  ],
  ['an undeclared connection', { connection: 'x' }, '/nodes/a/connection', 'unknown connection'],
])('%s is refused', (_what, parts, pointer, detail) => {
  const node = { type: 'mcp', server: 'https://api.example.com/mcp', tool: 't', next: 'b', ...parts };
  expect(mistakes(withNode(node))).toContainEqual({ pointer, detail: expect.stringContaining(detail) });
});
