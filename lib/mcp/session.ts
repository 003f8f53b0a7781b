// A session with one MCP server over Streamable HTTP, by the official SDK. Import this file lazily only.
import {
  Client,
  type JsonSchemaValidatorResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { Connected } from '#lib/connection/connection-fetch.ts';
import { hostOf, networkFailure } from '#lib/egress/network-failure.ts';
import { objectWithoutSecrets } from '#lib/egress/redact.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { McpAnswer, McpServer, McpTool } from '#lib/flow/ports/mcp.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import { isDeeperThan } from '#lib/json/depth.ts';
import { type JsonObject, jsonObject } from '#lib/json/json.ts';
import { answerOf } from './answer.ts';
import { mcpFailure, unwrapped } from './failure.ts';
import { sessionFetch, untilRefused } from './session-fetch.ts';

export interface McpSession {
  readonly list: (call: NodeCall) => Promise<readonly McpTool[]>;
  readonly call: (tool: string, args: JsonObject, call: NodeCall) => Promise<McpAnswer>;
  readonly close: () => Promise<void>;
}

/** What a model can choose among, and more than any server we know offers. */
const toolsMax = 500;
const pagesMax = 20;
/** Longer than any node: the call's signal ends it. */
const timeout = 1_000_000;
const connectTimeout = 30_000;

/** Throws `NodeError`, as does the session (codes `mcp.*`, `egress.*`, `connection.*`, `timeout`). */
export async function openSession(
  server: McpServer,
  connected: Connected,
  call: NodeCall,
): Promise<McpSession> {
  const { hide } = connected;
  const host = hostOf(server.url);
  const asked = async <T>({ signal }: NodeCall, work: (options: Options) => Promise<T>): Promise<T> => {
    try {
      return await untilRefused(() => work({ signal, timeout }));
    } catch (thrown) {
      const error = unwrapped(thrown);
      const way = { host, signal, noAnswer: 'mcp.unavailable' };
      throw networkFailure(error, way) ?? mcpFailure(error, host, hide);
    }
  };
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch: sessionFetch(connected, server),
  });
  const client = new Client({ name: 'agent-flow-service', version: '1' }, clientOptions);
  await asked(call, () => client.connect(transport, { timeout: connectTimeout }));
  const listed = async (by: NodeCall) => {
    const { tools: found } = await asked(by, (options) => client.listTools(undefined, options));
    return toolsOf(found, host, hide);
  };
  let tools: Promise<readonly McpTool[]> | undefined;
  return {
    list: (by) => {
      tools ??= listed(by).catch((error: unknown) => {
        tools = undefined;
        throw error;
      });
      return tools;
    },
    call: async (name, args, by) => {
      const params = { name, arguments: { ...args } };
      const result = await asked(by, (options) => client.callTool(params, options));
      return answerOf(result, host, hide);
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
  // Servers of 2026-07-28 and of all revisions before it.
  versionNegotiation: { mode: 'auto' },
  listMaxPages: pagesMax,
  // An output schema is the server's word about itself: compiling it would run its patterns, and the flow checks what it needs.
  jsonSchemaValidator: { getValidator: () => believed },
} as const;

function believed<T>(input: unknown): JsonSchemaValidatorResult<T> {
  const isFine = (value: unknown): value is T => value !== undefined;
  return isFine(input)
    ? { valid: true, data: input, errorMessage: undefined }
    : { valid: false, data: undefined, errorMessage: 'There is no structured content.' };
}

type Found = Awaited<ReturnType<Client['listTools']>>['tools'];

function toolsOf(found: Found, host: string, hide: Connected['hide']): readonly McpTool[] {
  if (found.length > toolsMax)
    throw new NodeError('mcp.too_many_tools', `${host} has more than ${toolsMax} tools.`);
  if (isDeeperThan(found, limits.valueDepth)) {
    const message = `The tools of ${host} are nested deeper than ${limits.valueDepth} levels.`;
    throw new NodeError('mcp.bad_answer', message);
  }
  return found.map(({ name, description = '', inputSchema }) => ({
    name: hide(name),
    description: hide(description),
    parameters: objectWithoutSecrets(jsonObject.parse(inputSchema), hide),
  }));
}
