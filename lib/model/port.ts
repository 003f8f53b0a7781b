// The port for model calls: finds the model of the tenant and calls it once. The AI SDK is loaded with the
// first call, so that flows without models do not load it; only `ai-sdk.ts` may import it.

import type { GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { ModelChoice } from '#lib/flow/ports/model.ts';
import type { Secret } from '#lib/secret.ts';
import { type ModelEntry, readApiKey, selectModel, type TenantModels } from './catalog.ts';
import type { ReadFile } from './files.ts';

interface ModelPortOptions extends TenantModels {
  readonly fetch: GuardedFetch;
  /** Default: the environment. */
  readonly apiKey?: (variable: string) => Secret | undefined;
}

/** `readFile` reads the files of the run that calls. */
export function createModelPort(
  options: ModelPortOptions,
): (...args: [...Parameters<Ports['model']>, readFile?: ReadFile]) => ReturnType<Ports['model']> {
  const { fetch, apiKey = readApiKey } = options;
  return async (request, call, readFile) => {
    const entry = selectModel(request.model, options);
    if (!entry) throw notConfigured(request.model, options);
    const key = requireKey(entry, apiKey);
    const { callModel } = await import('./ai-sdk.ts');
    return callModel({ entry, key, fetch, readFile }, request, call);
  };
}

function requireKey(entry: ModelEntry, apiKey: (variable: string) => Secret | undefined): Secret | undefined {
  if (entry.provider === 'bedrock' || entry.api_key_ref === undefined) return undefined;
  const key = apiKey(entry.api_key_ref);
  if (key) return key;
  throw new NodeError(
    'model.not_configured',
    `The model "${entry.model}" needs the environment variable ${entry.api_key_ref}, which is not set.`,
  );
}

function notConfigured(choice: ModelChoice, { models }: TenantModels): NodeError {
  const requested =
    Object.keys(choice).length === 0 ? 'No default model' : `No model that matches ${JSON.stringify(choice)}`;
  const names = Object.keys(models).join(', ') || '(none)';
  return new NodeError(
    'model.not_configured',
    `${requested} is configured. The configured models are: ${names}.`,
  );
}
