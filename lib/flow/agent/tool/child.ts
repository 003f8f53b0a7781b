// An agent inside the agent: a conversation of its own, with its own instructions and tools, within the same budget.
import { asText } from '../../expression/text.ts';
import type { ChildFields } from '../definition.ts';
import { type Loop, runLoop } from '../loop.ts';
import { conversation, newConversation } from '../memory.ts';
import { messageParameters, type ToolSource } from '../tool.ts';

export function childTool({ name, description }: ChildFields, loop: Loop): ToolSource {
  return () => [
    {
      declaration: { name, description, parameters: messageParameters },
      target: `agent ${name} of the flow`,
      needsApproval: false,
      isForeign: false,
      run: async (use) => {
        const { args, key, kept } = use;
        const talk = kept.value ? conversation.parse(kept.value) : newConversation(asText(args.message));
        const keep = () => kept.keep(talk);
        const end = await runLoop(loop, talk, { ...use, place: `${key}_`, keep });
        return end.status === 'completed' ? { status: 'completed', content: end.output } : end;
      },
    },
  ];
}
