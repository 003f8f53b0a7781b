// Calls the agent of a client to its end through any client that has `callTool`: by what the tool asks for in text and
// structure, as assistants do that can show neither forms nor pages.
import * as z from 'zod';
import { storeConnection } from './person.ts';
import { answer, finalText } from './service.ts';
import type { Step } from './table.ts';

const result = z.looseObject({
  isError: z.boolean().optional(),
  content: z.array(z.looseObject({ text: z.string().optional() })),
  structuredContent: z
    .object({ task_id: z.string(), state: z.string(), auth_url: z.string().optional() })
    .loose()
    .optional(),
});

export type CallTool = (name: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>;

export async function callToEnd(step: Step, registryId: string, callTool: CallTool): Promise<void> {
  const call = async (message: string, taskId?: string) =>
    readCall(
      await callTool('call_agent', {
        registry_id: registryId,
        message,
        ...(taskId !== undefined && { task_id: taskId }),
      }),
    );
  const taskId = await step('auth required', async () => {
    const { state, task_id, auth_url = '' } = await call('Where is my order 1042?');
    requireEqual(state, 'auth_required');
    await storeConnection(auth_url);
    return task_id;
  });
  await step('input required', async () => {
    const asked = await call('continue', taskId);
    requireEqual(asked.state, 'input_required');
    requireIncludes(asked.text, 'Wrap it as a gift?');
  });
  await step('completed', async () => {
    const ended = await call(answer, taskId);
    requireEqual(ended.state, 'completed');
    requireIncludes(ended.text, finalText);
  });
}

export function readCall(given: unknown) {
  const { isError, content, structuredContent } = result.parse(given);
  const text = content.map((block) => block.text ?? '').join('\n');
  if (isError || !structuredContent) throw new Error(`The tool has failed: ${text}`);
  return { ...structuredContent, text };
}

/** Whether the agent is in what list_agents returns. */
export function requireListed(given: unknown, registryId: string): void {
  requireIncludes(JSON.stringify(given), registryId);
}

const toolNames = ['call_agent', 'discover_agents', 'list_agents'];

export const requireTools = (names: readonly string[]): void =>
  requireEqual([...names].sort().join(', '), toolNames.join(', '));

export function requireEqual<T>(actual: T, expected: T): void {
  if (actual !== expected) throw new Error(`Expected ${String(expected)}, got ${String(actual)}.`);
}

export function requireIncludes(text: string, part: string): void {
  if (!text.includes(part)) throw new Error(`Expected "${part}" in: ${text}`);
}
