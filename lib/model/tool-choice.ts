// Sends the provider the choice of tools past the SDK, which would end an answer that does something else with an error
// of its own, without the tokens. The engine reports what the model did, and what follows from it.
import { wrapLanguageModel } from 'ai';
import type { ModelRequest } from '#lib/flow/ports/model.ts';
import type { ModelEntry } from './catalog.ts';

type ProviderModel = Parameters<typeof wrapLanguageModel>[0]['model'];

export function withToolChoice(
  model: ProviderModel,
  request: ModelRequest,
  { provider }: ModelEntry,
): ProviderModel {
  const toolChoice = toToolChoice(request, provider);
  if (!toolChoice) return model;
  return wrapLanguageModel({
    model,
    middleware: { transformParams: async ({ params }) => ({ ...params, toolChoice }) },
  });
}

/** Without tools to use, the SDK would remove their earlier calls and results from what Bedrock receives. */
function toToolChoice({ tool_choice: choice, messages }: ModelRequest, provider: ModelEntry['provider']) {
  if (choice === undefined) return undefined;
  if (typeof choice === 'object') return { type: 'tool' as const, toolName: choice.tool };
  const isAfterTools = provider === 'bedrock' && messages.some(({ role }) => role === 'tool');
  return choice === 'none' && isAfterTools ? undefined : { type: choice };
}
