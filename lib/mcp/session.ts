// A session with one MCP server over Streamable HTTP, through the official SDK. Import this file lazily only.
import {
  Client,
  type JsonSchemaValidatorResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { ConnectionFetch } from '#lib/connection/authorized-fetch.ts';
import { hostName, networkFailure } from '#lib/egress/network-failure.ts';
import { redactObject } from '#lib/egress/redact.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { McpAnswer, McpServer, McpTool } from '#lib/flow/ports/mcp.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import { isDeeperThan } from '#lib/json/depth.ts';
import { type JsonObject, jsonObject } from '#lib/json/json.ts';
import { toMcpAnswer } from './answer.ts';
import { mcpFailure, unwrapped } from './failure.ts';
import { sessionFetch, untilRefused } from './session-fetch.ts';

export interface McpSession {
  readonly list: (call: NodeCall) => Promise<readonly McpTool[]>;
  readonly call: (tool: string, args: JsonObject, call: NodeCall) => Promise<McpAnswer>;
  readonly close: () => Promise<void>;
}

/** More tools than any server known to us offers. */
const toolsMax = 500;
const pagesMax = 20;
/** Longer than any node: the call's signal ends it. */
const timeout = 1_000_000;
const connectTimeout = 30_000;

/** Throws `NodeError`, as does the session (codes `mcp.*`, `egress.*`, `connection.*`, `timeout`). */
export async function openSession(
  server: McpServer,
  connectionFetch: ConnectionFetch,
  call: NodeCall,
): Promise<McpSession> {
  const { redact } = connectionFetch;
  const host = hostName(server.url);
  const request = async <T>({ signal, trace }: NodeCall, work: (options: Options) => Promise<T>) => {
    try {
      return await untilRefused(() => work({ signal, timeout }), await trace?.());
    } catch (thrown) {
      const error = unwrapped(thrown);
      const context = { host, signal, noAnswer: 'mcp.unavailable' };
      throw networkFailure(error, context) ?? mcpFailure(error, host, redact);
    }
  };
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch: sessionFetch(connectionFetch, server),
  });
  const client = new Client({ name: 'agent-flow-service', version: '1' }, clientOptions);
  await request(call, () => client.connect(transport, { timeout: connectTimeout }));
  const listTools = async (by: NodeCall) => {
    const { result } = await request(by, (options) => client.listTools(undefined, options));
    return toMcpTools(result.tools, host, redact);
  };
  let tools: Promise<readonly McpTool[]> | undefined;
  return {
    list: (by) => {
      tools ??= listTools(by).catch((error: unknown) => {
        tools = undefined;
        throw error;
      });
      return tools;
    },
    call: async (name, args, by) => {
      // SEP-414: a server that speaks no HTTP behind its transport sees the trace too.
      const _meta = await by.trace?.();
      const params = { name, arguments: { ...args }, ...(_meta && { _meta }) };
      const { result, kept } = await request(by, (options) => client.callTool(params, options));
      return { ...toMcpAnswer(result, host, redact), ...(kept > 0 && { kept }) };
    },
    close: async () => {
      await transport.terminateSession();
      await client.close();
    },
  };
}

interface Options {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

const clientOptions = {
  // Supports servers of revision 2026-07-28 and of all earlier ones.
  versionNegotiation: { mode: 'auto' },
  listMaxPages: pagesMax,
  // Output schemas are not checked: compiling one would run the server's patterns, and a flow checks what it
  // needs.
  jsonSchemaValidator: { getValidator: () => acceptUnchecked },
} as const;

function acceptUnchecked<T>(input: unknown): JsonSchemaValidatorResult<T> {
  const isFine = (value: unknown): value is T => value !== undefined;
  return isFine(input)
    ? { valid: true, data: input, errorMessage: undefined }
    : { valid: false, data: undefined, errorMessage: 'There is no structured content.' };
}

type SdkTools = Awaited<ReturnType<Client['listTools']>>['tools'];

function toMcpTools(found: SdkTools, host: string, redact: ConnectionFetch['redact']): readonly McpTool[] {
  if (found.length > toolsMax)
    throw new NodeError('mcp.too_many_tools', `${host} has more than ${toolsMax} tools.`);
  if (isDeeperThan(found, limits.valueDepth)) {
    const message = `The tools of ${host} are nested deeper than ${limits.valueDepth} levels.`;
    throw new NodeError('mcp.bad_answer', message);
  }
  return found.map(({ name, description = '', inputSchema }) => ({
    name: redact(name),
    description: redact(description),
    parameters: redactObject(jsonObject.parse(inputSchema), redact),
  }));
}
