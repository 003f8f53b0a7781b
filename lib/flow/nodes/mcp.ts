// `mcp`: one tool of a remote MCP server. Its output is what the tool gives; a tool that says it failed is the error `mcp.tool_error`.
import * as z from 'zod';
import type { Json, JsonObject } from '#lib/json.ts';
import { staticUrlProblem } from '../egress.ts';
import { template } from '../expression/template.ts';
import { isObject } from '../json-value.ts';
import { preview } from '../log-preview.ts';
import { NodeError } from '../node-error.ts';
import { fitting } from '../request-size.ts';
import { connectionProblem } from './connection-use.ts';
import { defineNode, everyNode, json, onward } from './node-type.ts';

export const mcp = defineNode({
  schema: z.strictObject({
    type: z.literal('mcp'),
    ...everyNode,
    ...onward,
    server: z.string().min(1).max(4096),
    tool: z.string().min(1).max(256),
    arguments: json.optional(),
    connection: z.string().optional(),
  }),
  templates: ['arguments'],
  check: ({ server, connection }, around, report) => {
    const problem = staticUrlProblem(server, around.egress);
    if (problem) report(['server'], problem);
    const misuse = connectionProblem(connection, server, around);
    if (misuse) report(['connection'], misuse);
  },
  uses: ({ server, connection }) => ({
    servers: [server],
    connections: connection === undefined ? [] : [connection],
  }),
  prepare: (node, { egress }) => {
    const args = template(node.arguments ?? {});
    const { server: url, tool, connection } = node;
    const server = { url, egress, ...(connection !== undefined && { connection }) };
    const host = URL.parse(url)?.host ?? '';
    return async (context) => {
      const given = fitting('arguments', await args(context.at));
      const { content, isError } = await context.mcpCall(server, tool, argumentsOf(given));
      if (isError)
        throw new NodeError('mcp.tool_error', `${tool} of ${host} failed: ${preview(content, 300)}`);
      return { output: content, note: `${tool} of ${host}: ${preview(content, 200)}` };
    };
  },
});

function argumentsOf(given: Json): JsonObject {
  if (isObject(given)) return given;
  throw new NodeError('mcp.bad_arguments', 'arguments: expected an object once its values are filled in.');
}
