// Notifications of progress while an agent works, for a client that has sent a token for them: what the agent says,
// as it is written.
import { readReplies } from '#lib/run/state.ts';
import type { StoredEvent } from '#lib/run/stored-run.ts';
import type { ToolCall } from './tool.ts';

export function createProgress({ mcp }: ToolCall): (event: StoredEvent) => Promise<void> {
  const progressToken = mcp._meta?.progressToken;
  const seen = new Set<string>();
  return async (event) => {
    if (progressToken === undefined) return;
    // Work that a new worker repeats produces output again.
    const fresh = readReplies(event).filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    const message = fresh.flatMap(({ text }) => text ?? []).join('');
    // The generation of the event grows, as progress must.
    const params = { progressToken, progress: event.generation, ...(message && { message }) };
    await mcp.notify({ method: 'notifications/progress', params });
  };
}
