// Another flow of the workspace as a tool: the argument `message` is its message, all others are its variables.
import { asText } from '../../expression/text.ts';
import { callTheFlow } from '../../nodes/called-flow.ts';
import type { ToolFields } from '../definition.ts';
import { closed } from '../parameters.ts';
import { messageParameters, pausedTurn, type ToolSource } from '../tool.ts';

export function flowTool(fields: ToolFields, flowid: string): ToolSource {
  const { name = '', description = '', parameters = messageParameters } = fields;
  return () => [
    {
      declaration: { name, description, parameters: closed(parameters) },
      target: `flow ${flowid}`,
      needsApproval: fields.approval === 'always',
      isForeign: false,
      run: async ({ context, args, key, kept }) => {
        const { message, ...user_variables } = args;
        // What it says is for the model, which makes something of it for the caller.
        const call = { name: key, flowid, message: asText(message), user_variables, isStreamed: false };
        const end = await callTheFlow(context, call, kept);
        if (end.status === 'failed') throw end.error;
        return end.status === 'completed' ? { status: 'completed', content: end.output } : pausedTurn;
      },
    },
  ];
}
