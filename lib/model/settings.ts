// Converts the settings of a request to those of the AI SDK, and refuses what the model does not take. The SDK itself
// leaves such settings out and warns. It imports only types of the SDK.
import type { CallWarning } from 'ai';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { Tokens } from '#lib/flow/format/tokens.ts';
import type { ModelRequest } from '#lib/flow/ports/model.ts';
import type { ModelEntry } from './catalog.ts';

export const toSdkSettings = (request: ModelRequest) => ({
  ...(request.temperature !== undefined && { temperature: request.temperature }),
  ...(request.max_tokens !== undefined && { maxOutputTokens: request.max_tokens }),
  ...(request.reasoning && { reasoning: request.reasoning }),
  ...(request.top_p !== undefined && { topP: request.top_p }),
  ...(request.stop && { stopSequences: [...request.stop] }),
  ...(request.seed !== undefined && { seed: request.seed }),
});

/** Throws `model.refused` before the model is called. The Converse API has no seed. */
export function refuseSettings({ provider }: ModelEntry, { seed }: ModelRequest, model: string): void {
  if (provider === 'bedrock' && seed !== undefined) throw refused(model, 'seed');
}

/** Throws `model.refused` for a setting that the SDK has left out, with the tokens that were used until then. */
export function refuseIgnored(
  warnings: readonly CallWarning[] | undefined,
  model: string,
  tokens?: Tokens,
): void {
  for (const warning of warnings ?? []) {
    const setting = warning.type === 'unsupported' ? settingsByFeature.get(warning.feature) : undefined;
    if (setting !== undefined) throw refused(model, setting, tokens);
  }
}

const settingsByFeature: ReadonlyMap<string, string> = new Map([
  ['topP', 'top_p'],
  ['stopSequences', 'stop'],
  ['seed', 'seed'],
]);

const refused = (model: string, setting: string, tokens?: Tokens) =>
  new NodeError('model.refused', `${model} does not take \`${setting}\` in this request.`, { tokens });
