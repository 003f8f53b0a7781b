// Requests of MCP in the form of revision 2025-11-25 as JSON Schema, with the input schemas that the service lists for
// its tools: the OpenAPI document only says that they are objects.
import fc from 'fast-check';
import * as z from 'zod';
import { fitting } from '#test/support/arbitrary-json.ts';
import type { Schema } from './api-document.ts';

const tool = z.object({ name: z.string(), inputSchema: z.record(z.string(), z.unknown()) });
export type ListedTool = z.infer<typeof tool>;
const listed = z.object({ result: z.object({ tools: z.array(tool) }) });

export async function listTools(baseUrl: string, key: string): Promise<readonly ListedTool[]> {
  const response = await fetch(`${baseUrl}/api/v1/ai/mcp`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-api-key': key,
    },
  });
  const text = await response.text();
  return listed.parse(JSON.parse(text.replace(/^.*?data: /s, ''))).result.tools;
}

const object = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});
const anyObject = { type: 'object' };
const envelope = (method: string, params: Schema, needsParams = true) =>
  object(
    {
      jsonrpc: { const: '2.0' },
      id: { anyOf: [{ type: 'string', maxLength: 1_024 }, { type: 'integer' }] },
      method: { const: method },
      params,
    },
    ['jsonrpc', 'id', 'method', ...(needsParams ? ['params'] : [])],
  );

const calls = (tools: readonly ListedTool[]): Schema[] =>
  tools.map(({ name, inputSchema: { $schema: _, ...inputSchema } }) => {
    // MCP lets clients leave out arguments, of which a tool may need none.
    const required = inputSchema.required === undefined ? ['name'] : ['name', 'arguments'];
    return envelope('tools/call', object({ name: { const: name }, arguments: inputSchema }, required));
  });

export const mcpRequest = (tools: readonly ListedTool[]): Schema => ({
  oneOf: [...['tools/list', 'ping'].map((method) => envelope(method, anyObject, false)), ...calls(tools)],
});

interface KnownAgents {
  readonly agents: readonly string[];
  readonly tasks: readonly string[];
}

/** Half of the calls are of agents that exist, which are not waited for. */
export function mcpBodies(
  tools: readonly ListedTool[],
  { agents, tasks }: KnownAgents,
): fc.Arbitrary<unknown> {
  const args = fc.record(
    {
      registry_id: fc.constantFrom(...agents),
      message: fc.string({ minLength: 1, maxLength: 200 }),
      task_id: fc.constantFrom(...tasks),
      wait_seconds: fc.constantFrom(0, 1),
    },
    { requiredKeys: ['registry_id', 'message', 'wait_seconds'], noNullPrototype: true },
  );
  const calling = fc.record({
    jsonrpc: fc.constant('2.0'),
    id: fc.oneof(fc.nat(), fc.string()),
    method: fc.constant('tools/call'),
    params: fc.record({ name: fc.constant('call_agent'), arguments: args }),
  });
  return fc.oneof(calling, fitting(mcpRequest(tools), {}));
}

/** Those of revision 2026-07-28 for one of the methods; none for earlier revisions. */
export const mcpHeaders: fc.Arbitrary<readonly (readonly [string, string])[]> = fc
  .oneof(
    { arbitrary: fc.constant({}), weight: 12 },
    {
      arbitrary: fc.constantFrom(
        { 'mcp-protocol-version': '2025-11-25' },
        { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'call_agent' },
        { 'mcp-protocol-version': '2031-01-01' },
        { 'mcp-session-id': 'x' },
        { origin: 'https://evil.example' },
      ),
      weight: 1,
    },
  )
  .map((some) => [['accept', 'application/json, text/event-stream'], ...Object.entries<string>(some)]);
