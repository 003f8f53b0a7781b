// `mcp`: calls one tool of a remote MCP server. Its output is the result of the tool; a tool that reports a
// failure is the error `mcp.tool_error`.
import * as z from 'zod';
import { lazy } from '#lib/lazy.ts';
import { preview } from '../engine/log-preview.ts';
import { checkRequestSize } from '../engine/request-size.ts';
import { typedTemplate } from '../expression/template.ts';
import { staticUrlProblem } from '../format/egress.ts';
import { NodeError } from '../format/node-error.ts';
import { everyNode, onward } from '../format/node-fields.ts';
import { narrowed } from '../format/notes.ts';
import { hasTemplate } from '../format/template-segments.ts';
import { connectionProblem } from './connection-use.ts';
import type { NodeChecks, NodeType } from './node-type.ts';
import { objectField, requireObject } from './object-field.ts';
import { fixedUrl } from './url-field.ts';

export const mcpSchema = /* @__PURE__ */ lazy(() =>
  z
    .strictObject({
      type: z.literal('mcp'),
      ...everyNode(),
      ...onward(),
      server: fixedUrl().meta({
        description: 'URL of the MCP server; literal, with its host in `egress`.',
        examples: ['https://tools.example.com/mcp'],
      }),
      tool: narrowed(
        z.string().min(1).max(256),
        (tool) => !hasTemplate(tool),
        'expected no expression: which tools a flow calls is known before it runs',
        { not: { pattern: '\\{\\{' } },
      ).meta({ description: 'Name of the tool; literal.' }),
      arguments: objectField().optional().meta({
        description:
          'Arguments of the tool: an object with templates, or one expression that gives an object.',
      }),
      connection: z
        .string()
        .optional()
        .meta({ description: 'Name of the connection whose credential is sent to the server.' }),
    })
    .meta({ description: 'Calls one tool of a remote MCP server; the output is the result of the tool.' }),
);

type McpNode = z.infer<ReturnType<typeof mcpSchema>>;

export const mcpChecks: NodeChecks<McpNode> = {
  check: ({ server, connection }, around, report) => {
    const problem = staticUrlProblem(server, around.egress);
    if (problem) report(['server'], problem);
    const misuse = connectionProblem(connection, server, around);
    if (misuse) report(['connection'], misuse);
  },
};

export const mcp: NodeType<McpNode> = {
  templates: ['arguments'],
  uses: ({ server, connection }) => ({
    servers: [server],
    connections: connection === undefined ? [] : [connection],
  }),
  prepare: (node, { egress }) => {
    const args = typedTemplate(node.arguments ?? {});
    const { server: url, tool, connection } = node;
    const server = { url, egress, ...(connection !== undefined && { connection }) };
    const host = URL.parse(url)?.host ?? '';
    return async (context) => {
      const given = checkRequestSize('arguments', await args(context.at));
      const { content, isError } = await context.mcpCall(
        server,
        tool,
        requireObject('arguments', given, 'mcp.bad_arguments'),
      );
      if (isError)
        throw new NodeError('mcp.tool_error', `${tool} of ${host} failed: ${preview(content, 300)}`);
      return { output: content, note: `${tool} of ${host}: ${preview(content, 200)}` };
    };
  },
};
