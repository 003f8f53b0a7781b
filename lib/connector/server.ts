// The MCP server of the connector: its tools, and the errors of the service as results of tools, which models can read
// and react to. No other file translates errors for them.
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { A2ARefusal } from '#lib/a2a/errors.ts';
import { isTransientFailure } from '#lib/aws.ts';
import { errorTable, ServiceError } from '#lib/errors.ts';
import { readIncomingTrace } from '#lib/http/incoming-trace.ts';
import type { Request } from '#lib/http/request.ts';
import { boundedParse } from '#lib/json/bounded-parse.ts';
import { lazy } from '#lib/lazy.ts';
import type { Log } from '#lib/log.ts';
import { addMistake, newMistakeList } from '#lib/mistakes.ts';
import type { TraceContext } from '#lib/trace-context.ts';
import { truncate } from '#lib/truncate.ts';
import { describeIssue, describeIssues } from '#lib/zod-messages.ts';
import { callAgent } from './call-agent.ts';
import { discoverAgents } from './discover-agents.ts';
import { listAgents } from './list-agents.ts';
import { explainParameters, explainRefusal } from './refusal.ts';
import { createStateCodec } from './request-state.ts';
import { listSearchTools } from './search-tools.ts';
import { toCallResult } from './task-answer.ts';
import { serveTasks, tasksExtension } from './tasks.ts';
import { describeTool, type Tool, type ToolCall, ToolError, type ToolOutcome } from './tool.ts';

/** In the order in which they are listed. */
const tools: readonly Tool[] = [discoverAgents, listAgents, callAgent];

/** By the environment of the function, which does not change. */
const offered = lazy(() => {
  const all = [...tools, ...listSearchTools()];
  return {
    byName: new Map<string, Tool>(all.map((tool) => [tool.name, tool])),
    descriptions: all.map(describeTool),
  };
});

const serverInfo = { name: 'agent-flow-service', title: 'Agent Flow Service', version: '1.0.0' };

const instructions =
  'Finds and calls the agents of this service. Use discover_agents to find an agent for a task, or list_agents to see all, then call_agent.';

export function buildServer(request: Request, { era }: Pick<ToolCall, 'era'>): Server {
  const server = new Server(serverInfo, {
    capabilities: { tools: {}, ...(era === 'modern' && { extensions: { [tasksExtension]: {} } }) },
    instructions,
    cacheHints: { 'tools/list': { ttlMs: 300_000, cacheScope: 'private' } },
    inputRequired: { legacyShim: false },
    requestState: {
      verify: async (state, context) => await (await createStateCodec(request.caller)).verify(state, context),
    },
  });
  server.setRequestHandler('tools/list', () => ({
    tools: offered().descriptions.map((describe) => describe()),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = offered().byName.get(params.name);
    if (!tool)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool ${truncate(params.name, 64)}.`,
      );
    const trace = await readCallTrace(params._meta, request);
    return await callTool(tool, params.arguments ?? {}, { request, mcp: mcpReq, era, trace });
  });
  if (era === 'modern') serveTasks(server, request);
  return server;
}

async function readCallTrace(meta: ToolMeta, { headers }: Request): Promise<TraceContext | undefined> {
  const { traceparent, tracestate } = meta ?? {};
  const texts = { traceparent: asText(traceparent), tracestate: asText(tracestate) };
  return (await readIncomingTrace(texts)) ?? (await readIncomingTrace(headers));
}

type ToolMeta = Readonly<Record<string, unknown>> | undefined;
const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

async function callTool(tool: Tool, args: unknown, call: ToolCall) {
  const parsed = boundedParse(tool.input, args, describeIssue);
  if (!parsed.success) return toError(describeArguments(tool.name, parsed.issues));
  try {
    return toResult(await tool.call(parsed.data, call));
  } catch (error) {
    return toError(explain(tool.name, error, call.request.log));
  }
}

function toResult(outcome: ToolOutcome) {
  if ('inputRequired' in outcome) return outcome.inputRequired;
  // The SDK knows only results with content.
  if ('task' in outcome) return { ...outcome.task, content: [] };
  return toCallResult(outcome);
}

const toError = (text: string) => ({ content: [{ type: 'text' as const, text }], isError: true });

function describeArguments(name: string, issues: Parameters<typeof describeIssues>[0]): string {
  const list = newMistakeList();
  for (const { path, detail } of describeIssues(issues)) addMistake(list, path, detail);
  const lines = list.listed.map(({ pointer, detail }) => `- ${pointer.slice(1) || 'arguments'}: ${detail}`);
  return listLines(name, lines);
}

const listLines = (name: string, lines: readonly string[]): string =>
  [`The arguments of ${name} are not valid:`, ...lines].join('\n');

/** For what lasts longer, such as an exhausted budget, another try of a model is in vain. */
const soonSeconds = 60;

/** Unknown errors show nothing of themselves. */
function explain(tool: string, error: unknown, log: Log): string {
  if (error instanceof ToolError) return error.message;
  if (error instanceof A2ARefusal) return explainRefusal(error);
  const known = asServiceError(error);
  if (!known) {
    log.error('tool failed', {
      reason: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown',
    });
    return `${errorTable.internal.title}.`;
  }
  if (known.errors) return listLines(tool, explainParameters(known));
  const { title } = errorTable[known.code];
  const row = errorTable[known.code];
  const isSoon = 'retryAfterSeconds' in row && row.retryAfterSeconds <= soonSeconds;
  const wait = isSoon ? ' Try again in a few seconds.' : '';
  return `${known.detail ?? `${title}.`}${wait}`;
}

function asServiceError(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  return isTransientFailure(error) ? new ServiceError('dependency_unavailable', { cause: error }) : undefined;
}
