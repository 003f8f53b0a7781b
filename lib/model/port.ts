// The `llm` node's way out: finds the tenant's model and asks it once. The SDK behind it is loaded with the first question, so that flows
// without models never pay for it; only `ai-sdk.ts` may import it.

import type { GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { ModelChoice } from '#lib/flow/ports/model.ts';
import type { Secret } from '#lib/secret.ts';
import { chosenModel, type ModelEntry, readApiKey, type TenantModels } from './catalog.ts';

interface ModelPortOptions extends TenantModels {
  readonly fetch: GuardedFetch;
  /** Default: the environment. */
  readonly apiKey?: (variable: string) => Secret | undefined;
}

export function createModelPort(options: ModelPortOptions): Ports['model'] {
  const { fetch, apiKey = readApiKey } = options;
  return async (request, call) => {
    const entry = chosenModel(request.model, options);
    if (!entry) throw notConfigured(request.model, options);
    const key = keyOf(entry, apiKey);
    const { askModel } = await import('./ai-sdk.ts');
    return askModel({ entry, key, fetch }, request, call);
  };
}

function keyOf(entry: ModelEntry, apiKey: (variable: string) => Secret | undefined): Secret | undefined {
  if (entry.provider === 'bedrock' || entry.api_key_ref === undefined) return undefined;
  const key = apiKey(entry.api_key_ref);
  if (key) return key;
  throw new NodeError(
    'model.not_configured',
    `The model "${entry.model}" needs the environment variable ${entry.api_key_ref}, which is not set.`,
  );
}

function notConfigured(choice: ModelChoice, { models }: TenantModels): NodeError {
  const asked =
    Object.keys(choice).length === 0 ? 'No default model' : `No model that matches ${JSON.stringify(choice)}`;
  const names = Object.keys(models).join(', ') || '(none)';
  return new NodeError(
    'model.not_configured',
    `${asked} is configured. The configured models are: ${names}.`,
  );
}
