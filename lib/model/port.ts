// The port for model calls: finds the model of the tenant and calls it once. The AI SDK is loaded with the
// first call, so that flows without models do not load it; only `ai-sdk.ts` may import it.

import type { GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { ModelChoice } from '#lib/flow/ports/model.ts';
import type { Secret } from '#lib/secret.ts';
import { readApiKey, selectModel, type TenantModels } from './catalog.ts';
import type { ReadFile } from './files.ts';
import type { SecretKeys } from './secret-keys.ts';

interface ModelPortOptions extends TenantModels {
  readonly fetch: GuardedFetch;
  /** Default: the environment. */
  readonly apiKey?: (variable: string) => Secret | undefined;
  /** Where the environment has no key. Default: those that the process remembers. */
  readonly secretKeys?: SecretKeys;
}

/** `readFile` reads the files of the run that calls. */
export function createModelPort(
  options: ModelPortOptions,
): (...args: [...Parameters<Ports['model']>, readFile?: ReadFile]) => ReturnType<Ports['model']> {
  const { fetch, apiKey = readApiKey, secretKeys } = options;
  return async (request, call, readFile) => {
    const entry = selectModel(request.model, options);
    if (!entry) throw notConfigured(request.model, options);
    const { callWithKey } = await import('./call-with-key.ts');
    const sources = { fromEnvironment: apiKey, secretKeys };
    return await callWithKey({ entry, fetch, readFile }, sources, request, call);
  };
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
