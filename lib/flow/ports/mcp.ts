// Tools of remote MCP servers.
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { NodeCall } from './node-call.ts';

/** A remote MCP server (Streamable HTTP). */
export interface McpServer {
  readonly url: string;
  readonly connection?: string;
  readonly egress: readonly string[];
}

export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
}

export interface McpAnswer {
  /** The structured content, or else the text, or else the list of content blocks. */
  readonly content: Json;
  readonly isError: boolean;
  /** The number of integers in the structured content that were kept as text, because a number would round them. */
  readonly kept?: number;
}

/** Throws a `NodeError` (`mcp.*`, `egress.*`, `connection.*`, `timeout`) if there is no usable response. */
export interface McpPort {
  readonly list: (server: McpServer, call: NodeCall) => Promise<readonly McpTool[]>;
  readonly call: (server: McpServer, tool: string, args: JsonObject, call: NodeCall) => Promise<McpAnswer>;
}
