// The relays that the models of a local service need, and the variables of the functions that lead to them.
import { findAwsAccess } from './aws-access.ts';
import type { LocalModels } from './local-models.ts';
import { type Relay, startAnthropicRelay, startBedrockRelay } from './model-relay.ts';
import { anthropicKey } from './model-sources.ts';

type Variables = Readonly<Record<string, string | undefined>>;

interface Relays {
  /** Of the functions; empty without models. */
  readonly environment: Record<string, string>;
  readonly allowPrivate: readonly string[];
  readonly close: () => Promise<void>;
}

export async function startRelays(models: LocalModels | undefined, env: Variables): Promise<Relays> {
  if (!models) return { environment: {}, allowPrivate: [], close: async () => undefined };
  const [bedrock, anthropic] = await Promise.all([relayBedrock(models, env), relayAnthropic(models)]);
  const keys = Object.entries(models.keys).map(([name, key]) => [name, key.reveal()] as const);
  return {
    environment: {
      MODELS: JSON.stringify(anthropic ? throughRelay(models, anthropic) : models.models),
      MODEL_DEFAULT: models.defaultModel,
      ...Object.fromEntries(keys),
      ...(bedrock && { AWS_ENDPOINT_URL_BEDROCK_RUNTIME: bedrock.url }),
    },
    allowPrivate: [...models.allowPrivate, ...(anthropic ? [new URL(anthropic.url).host] : [])],
    close: async () => {
      await Promise.all([bedrock?.close(), anthropic?.close()]);
    },
  };
}

async function relayBedrock({ models }: LocalModels, env: Variables): Promise<Relay | undefined> {
  const access = findAwsAccess(env);
  if (!access || !Object.values(models).some(({ provider }) => provider === 'bedrock')) return undefined;
  return await startBedrockRelay(access, env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME);
}

async function relayAnthropic({ models, keys }: LocalModels): Promise<Relay | undefined> {
  const entry = Object.values(models).find(isAnthropic);
  if (entry?.provider !== 'openai-compatible' || !Object.hasOwn(keys, anthropicKey)) return undefined;
  return await startAnthropicRelay(entry.base_url);
}

const isAnthropic = (entry: LocalModels['models'][string]) =>
  entry.provider === 'openai-compatible' && entry.api_key_ref === anthropicKey;

const throughRelay = ({ models }: LocalModels, { url }: Relay) =>
  Object.fromEntries(
    Object.entries(models).map(([name, entry]) => [
      name,
      isAnthropic(entry) ? { ...entry, base_url: url } : entry,
    ]),
  );
