// `say`: the model tells the caller of the run what it does while it works, as a `reply` node does.
import { asText } from '../expression/text.ts';
import { limits } from '../format/limits.ts';
import { sayName, type ToolFields } from './definition.ts';
import { pausedTurn, type ToolEnd, type ToolSource } from './tool.ts';

export function sayTool(
  { name = sayName, description = describeTool }: ToolFields,
  { as = 'status' }: NonNullable<ToolFields['say']>,
): ToolSource {
  return () => [
    {
      declaration: { name, description, parameters },
      target: 'the caller',
      needsApproval: false,
      isForeign: false,
      run: async ({ context, args, key, guard }): Promise<ToolEnd> => {
        const said = await guard('output', asText(args.text), key);
        if (!said) return pausedTurn;
        context.reply({ text: asText(said.value), ...(as === 'status' && { as }) }, key);
        return { status: 'completed', content: 'Sent.' };
      },
    },
  ];
}

const describeTool =
  'Tells the user in one sentence what you are doing, while you continue to work. It is not your answer, and the user does not reply.';

const parameters = {
  type: 'object',
  properties: { text: { type: 'string', minLength: 1, maxLength: limits.progressChars } },
  required: ['text'],
  additionalProperties: false,
};
