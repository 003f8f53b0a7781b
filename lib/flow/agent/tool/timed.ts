// A tool with a time of its own: when that is over, it is reported to the model like any other failure, and the agent continues.
import type { ToolSource } from '../tool.ts';

/** Without it, a tool may take as long as the agent. What it asks, and who has to approve it, takes none of its time. */
export function timed(source: ToolSource, seconds: number | undefined): ToolSource {
  if (seconds === undefined) return source;
  return async (context, found) => {
    const tools = await source(context, found);
    return tools.map((tool) => ({
      ...tool,
      run: (use) => use.context.within({ what: 'tool', seconds }, (context) => tool.run({ ...use, context })),
    }));
  };
}
