// The tools of a remote MCP server, as it lists them when the conversation begins. Their descriptions are
// limited in size and treated as data.
import { jsonBytes } from '#lib/json/size.ts';
import { preview, shortened } from '../engine/log-preview.ts';
import { limits } from '../format/limits.ts';
import { endsRun, NodeError } from '../format/node-error.ts';
import type { Surroundings } from '../nodes/node-type.ts';
import type { McpServer, McpTool } from '../ports/mcp.ts';
import type { ToolFields } from './definition.ts';
import type { Tool, ToolSource } from './tool.ts';

export function mcpTools(fields: ToolFields, url: string, { egress }: Surroundings): ToolSource {
  const { connection } = fields;
  const server = { url, egress, ...(connection !== undefined && { connection }) };
  const list: ToolSource = async (context) => {
    const listed = await context.mcpTools(server);
    return chooseTools(listed, fields.tools, url).map((tool) => createTool(tool, fields, server));
  };
  return fields.optional === true ? optionalSource(list, fields, url) : list;
}

/** While the server cannot be used, the agent works without its tools, and the model knows that. */
function optionalSource(list: ToolSource, { timeout_seconds: seconds }: ToolFields, url: string): ToolSource {
  const host = URL.parse(url)?.host ?? '';
  return async (context, findings) => {
    try {
      if (seconds === undefined) return await list(context, findings);
      return await context.within(
        { what: 'list of tools', seconds },
        async (within) => await list(within, findings),
      );
    } catch (error) {
      if (!(error instanceof NodeError) || endsRun(error.code)) throw error;
      const message = `the tools of ${host} are left out: ${error.code}: ${preview(error.message, 200)}`;
      context.note({ event: 'tool', level: 'warn', message });
      // The message of an error may quote the server, whose words do not belong into the instructions.
      findings.unavailable.push(`the tools of ${host} (${error.code})`);
      return [];
    }
  };
}

/** Without an allow-list, all tools whose parameters are small enough. */
function chooseTools(
  listed: readonly McpTool[],
  allowed: readonly string[] | undefined,
  url: string,
): readonly McpTool[] {
  if (!allowed) return listed.filter(isSmall);
  return allowed.map((name) => {
    const tool = listed.find((one) => one.name === name);
    if (tool && isSmall(tool)) return tool;
    const why = tool ? 'describes its parameters at too great a length' : 'is not offered';
    throw new NodeError('mcp.no_tool', `The tool "${name}" of ${URL.parse(url)?.host ?? ''} ${why}.`);
  });
}

const isSmall = ({ parameters }: McpTool) =>
  jsonBytes(parameters, limits.toolSchemaBytes) <= limits.toolSchemaBytes;

function createTool({ name, description, parameters }: McpTool, fields: ToolFields, server: McpServer): Tool {
  return {
    declaration: {
      name: fields.name === undefined ? name : `${fields.name}_${name}`,
      description: shortened(description, limits.toolDescriptionChars),
      parameters,
    },
    target: `${name} of ${server.url}`,
    needsApproval: fields.approval === 'always',
    isForeign: true,
    run: async ({ context, args }) => {
      const { content, isError } = await context.mcpCall(server, name, args);
      return { status: isError ? 'failed' : 'completed', content };
    },
  };
}
