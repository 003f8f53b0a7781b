// Tools that the flow itself declares: HTTP requests, other flows of the workspace, child agents, and `capture`.
import { asText } from '../expression/text.ts';
import { isObject } from '../format/json-value.ts';
import { callFlow } from '../nodes/called-flow.ts';
import { prepareExchange } from '../nodes/http-exchange.ts';
import type { Surroundings } from '../nodes/node-type.ts';
import { type AgentFields, type ChildFields, captureTool, type ToolFields } from './definition.ts';
import { type Loop, runLoop } from './loop.ts';
import { conversation, newConversation } from './memory.ts';
import { closeParameters } from './parameters.ts';
import { messageParameters, pausedTurn, type ToolEnd, type ToolSource } from './tool.ts';

/** A request that the flow declares and the model fills in. Only `args` in its templates comes from the model. */
export function httpTool(
  fields: ToolFields,
  http: NonNullable<ToolFields['http']>,
  around: Surroundings,
): ToolSource {
  const exchange = prepareExchange(http, around);
  const { name = '', description = '', parameters = { type: 'object' } } = fields;
  const target = `${http.method ?? 'GET'} ${URL.parse(http.url)?.host ?? ''}`;
  return () => [
    {
      declaration: { name, description, parameters: closeParameters(parameters) },
      target,
      needsApproval: fields.approval === 'always',
      isForeign: false,
      run: async ({ context, args, key }) => {
        const { execution } = context.at;
        const at = {
          ...context.at,
          scope: { ...context.at.scope, args },
          ...(execution && {
            execution: { ...execution, key: `${execution.key}.${key}`, evaluations: 0 },
          }),
        };
        const { answer, isAccepted } = await exchange(context, at, `${context.idempotencyKey}.${key}`);
        const { status, headers, body, file } = answer;
        const result = file === undefined ? { body } : { file };
        const content = { status, ...(http.response_headers && { headers }), ...result };
        return { status: isAccepted ? 'completed' : 'failed', content };
      },
    },
  ];
}

/** Another flow. The argument `message` is its message, all others are its variables. */
export function flowTool(fields: ToolFields, flowid: string): ToolSource {
  const { name = '', description = '', parameters = messageParameters } = fields;
  return () => [
    {
      declaration: { name, description, parameters: closeParameters(parameters) },
      target: `flow ${flowid}`,
      needsApproval: fields.approval === 'always',
      isForeign: false,
      run: async ({ context, args, key, kept }) => {
        const { message, ...user_variables } = args;
        // Its text goes to the model, which uses it in its own answer to the caller.
        const call = { name: key, flowid, message: asText(message), user_variables, isStreamed: false };
        const end = await callFlow(context, call, kept);
        if (end.status === 'failed') throw end.error;
        return end.status === 'completed' ? { status: 'completed', content: end.output } : pausedTurn;
      },
    },
  ];
}

/** A child agent: a conversation of its own, with its own instructions and tools, within the same budget. */
export function childTool({ name, description }: ChildFields, loop: Loop): ToolSource {
  return () => [
    {
      declaration: { name, description, parameters: messageParameters },
      target: `agent ${name} of the flow`,
      needsApproval: false,
      isForeign: false,
      run: async (use) => {
        const { args, key, kept, contexts } = use;
        const current = kept.value
          ? conversation.parse(kept.value)
          : newConversation([{ role: 'user', content: asText(args.message) }], contexts);
        const keep = () => kept.keep(current);
        const end = await runLoop(loop, current, { ...use, keyPrefix: `${key}_`, keep });
        return end.status === 'completed' ? { status: 'completed', content: end.output } : end;
      },
    },
  ];
}

/** The tool with which the model returns values by name, each checked against its schema. */
export function captureSource(capture: NonNullable<AgentFields['capture']>): ToolSource {
  const properties = Object.fromEntries(
    Object.entries(capture).map(([name, { description, schema }]) => [name, { description, ...schema }]),
  );
  const description =
    'Keeps values that the conversation has brought up. Call it as soon as one of them is known.';
  return () => [
    {
      declaration: {
        name: captureTool,
        description,
        parameters: { type: 'object', properties, minProperties: 1, additionalProperties: false },
      },
      target: 'the run',
      needsApproval: false,
      isForeign: false,
      run: async ({ args, key, guard, capture: take }): Promise<ToolEnd> => {
        const passed = await guard('output', args, key);
        if (!passed) return pausedTurn;
        take(isObject(passed.value) ? passed.value : {});
        return { status: 'completed', content: `Kept: ${Object.keys(args).join(', ')}.` };
      },
    },
  ];
}
