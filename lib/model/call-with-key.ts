// Calls a model with its key: from the environment, as on a laptop, or from Secrets Manager. It is loaded lazily with
// the AI SDK: import it from `port.ts` only, by `import()`.
import { optionalEnv } from '#lib/env.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { ModelAnswer, ModelRequest } from '#lib/flow/ports/model.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import type { Secret } from '#lib/secret.ts';
import { callModel, type ModelTarget } from './ai-sdk.ts';
import { isKeyRefused } from './failure.ts';
import { createSecretKeys, type SecretKeys } from './secret-keys.ts';

export interface KeySources {
  readonly fromEnvironment: (variable: string) => Secret | undefined;
  /** Default: those of the process. */
  readonly secretKeys?: SecretKeys | undefined;
}

const ofProcess = createSecretKeys(Date.now);

/** One request, or a second one with the key that has replaced one that the provider refuses. */
export async function callWithKey(
  target: Omit<ModelTarget, 'key'>,
  sources: KeySources,
  ...asked: [ModelRequest, NodeCall]
): Promise<ModelAnswer> {
  const { entry } = target;
  const ref = entry.provider === 'openai-compatible' ? entry.api_key_ref : undefined;
  if (ref === undefined) return await callModel({ ...target, key: undefined }, ...asked);
  const key = sources.fromEnvironment(ref);
  if (key) return await callModel({ ...target, key }, ...asked);
  return await callWithSecret(
    target,
    requireSecretName(ref, entry.model),
    sources.secretKeys ?? ofProcess,
    asked,
  );
}

async function callWithSecret(
  target: Omit<ModelTarget, 'key'>,
  name: string,
  { find, findNewer }: SecretKeys,
  asked: [ModelRequest, NodeCall],
): Promise<ModelAnswer> {
  const key = await find(name);
  try {
    return await callModel({ ...target, key }, ...asked);
  } catch (error) {
    const newer = isKeyRefused(error) ? await findNewer(name, key) : undefined;
    if (!newer) throw error;
    return await callModel({ ...target, key: newer }, ...asked);
  }
}

function requireSecretName(ref: string, model: string): string {
  const prefix = optionalEnv('MODEL_SECRETS_PREFIX');
  if (prefix !== undefined) return `${prefix}${ref}`;
  throw new NodeError(
    'model.not_configured',
    `The model "${model}" needs the environment variable ${ref}, which is not set.`,
  );
}
