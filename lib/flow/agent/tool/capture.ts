// The tool with which the model hands over values that the flow wants to have: each by its name, checked against its schema.
import type { AgentFields } from '../definition.ts';
import { captureTool } from '../definition.ts';
import type { ToolSource } from '../tool.ts';

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
      run: async ({ args, capture: take }) => {
        take(args);
        return { status: 'completed', content: `Kept: ${Object.keys(args).join(', ')}.` };
      },
    },
  ];
}
