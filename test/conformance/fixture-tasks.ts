// The suite's tools that work as tasks. Each is a flow, so that its tasks are runs, served by the Tasks extension as
// those of `call_agent` are.
import {
  acceptedContent,
  inputRequired,
  type McpRequestContext,
  type McpServer,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { requireAgent, startTask, waitForTask } from '#lib/connector/agent-task.ts';
import { toCallResult, toTaskAnswer } from '#lib/connector/task-answer.ts';
import { findTaskHandle, tasksExtension } from '#lib/connector/tasks.ts';
import type { Request } from '#lib/http/request.ts';

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });

const ask = (prompt: string, schema: object) => ({ type: 'ask', prompt, schema });
const end = (output: object) => ({ type: 'end', output });
const done = end({ answer: 'Done.' });
/** A form of one field. */
const one = (field: string, type: string) => ({
  type: 'object',
  properties: { [field]: { type } },
  required: [field],
});
const branch = (name: string) => ({
  start: `ask_${name}`,
  nodes: { [`ask_${name}`]: ask(`Which ${name}?`, one('name', 'string')) },
});
export const brokenFlow = { start: 'done', nodes: { done } };

/** The flows by the names of their tools. `agents.ts` stores them; the function receives their ids. */
export const taskFlows: Readonly<Record<string, object>> = {
  slow_compute: {
    start: 'work',
    nodes: { work: { type: 'wait', seconds: '{{ $number(input.message) }}', next: 'done' }, done },
  },
  failing_job: { start: 'fail', nodes: { fail: { type: 'fail', message: 'The job failed.' } } },
  confirm_delete: {
    start: 'sure',
    nodes: { sure: { ...ask('Delete {{ input.message }}?', one('confirm', 'boolean')), next: 'done' }, done },
  },
  multi_input: {
    start: 'both',
    nodes: {
      both: { type: 'parallel', branches: { one: branch('one'), two: branch('two') }, next: 'done' },
      done,
    },
  },
  test_tool_with_task: {
    start: 'done',
    nodes: { done: end({ answer: 'Hello, {{ input.message }}!' }) },
  },
  protocol_error_job: {
    start: 'other',
    nodes: { other: { type: 'flow', flowid: 'broken', next: 'done' }, done },
  },
};

/** Longer than a tool that clients without the extension wait for. */
const waitMs = 30_000;

export function addTaskTools(server: McpServer, request: Request, era: McpRequestContext['era']): void {
  const greeted = { description: 'Answers at once.', inputSchema: z.object({ name: z.string() }) };
  server.registerTool('greet', greeted, ({ name }) => text(`Hello, ${name}!`));

  const call = async (tool: string, message: string, { mcpReq: mcp }: ServerContext) => {
    const context = await requireAgent(readAgents()[tool] ?? '', { request });
    const started = await startTask(context, message);
    const handle = findTaskHandle(started, { request, mcp, era });
    if (handle) return { ...handle.task, content: [] };
    const onEvent = async () => {};
    const waited = await waitForTask(context, started, { ms: waitMs, signal: mcp.signal, onEvent });
    return toCallResult(toTaskAnswer(waited));
  };
  const add = (name: string, inputSchema: z.ZodObject, read: (args: Record<string, unknown>) => string) =>
    server.registerTool(
      name,
      { description: 'Works as a task.', inputSchema },
      async (args, context) => (await call(name, read(args), context)) as ReturnType<typeof text>,
    );
  add('slow_compute', z.looseObject({ seconds: z.number() }), ({ seconds }) => String(seconds));
  add('confirm_delete', z.looseObject({ filename: z.string() }), ({ filename }) => String(filename));
  add('multi_input', z.looseObject({}), () => 'ask');
  add('protocol_error_job', z.looseObject({}), () => 'break');

  const required = { description: 'Works as a task only.', inputSchema: z.looseObject({}) };
  server.registerTool('failing_job', required, async (_args, context) => {
    requireTasks(server, context, era);
    return (await call('failing_job', 'fail', context)) as ReturnType<typeof text>;
  });
  server.registerTool('test_tool_with_task', required, async (_args, context) => {
    requireTasks(server, context, era);
    const requestedSchema = z.object({ name: z.string() });
    const { name } = acceptedContent(context.mcpReq.inputResponses, 'user_name', requestedSchema) ?? {};
    if (name !== undefined)
      return (await call('test_tool_with_task', name, context)) as ReturnType<typeof text>;
    const user_name = inputRequired.elicit({ message: 'What is your name?', requestedSchema });
    return inputRequired({ inputRequests: { user_name } });
  });
}

const readAgents = (): Record<string, string> =>
  z.record(z.string(), z.string()).parse(JSON.parse(process.env.CONFORMANCE_AGENTS ?? '{}'));

/** `McpServer` makes results of the errors of tools. This one is an error of the protocol. */
function requireTasks(server: McpServer, { mcpReq }: ServerContext, era: McpRequestContext['era']): void {
  const declared = JSON.stringify(mcpReq.envelope ?? {}).includes(`"${tasksExtension}"`);
  if (era === 'modern' && declared) return;
  const requiredCapabilities = { extensions: { [tasksExtension]: {} } };
  const error = new MissingRequiredClientCapabilityError({ requiredCapabilities });
  const createToolError = () => {
    throw error;
  };
  Object.assign(server, { createToolError });
  throw error;
}
