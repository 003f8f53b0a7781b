// Finds the models that the environment of the developer already gives access to: by the variables that the clients of
// OpenAI, Anthropic and AWS read. It asks each provider which models it has; keys stay in `Secret`.
import { parseEgressPolicy } from '#lib/egress/egress-policy.ts';
import type { ModelEntry } from '#lib/model/catalog.ts';
import {
  catalogName,
  type LocalModels,
  loopbackHosts,
  plainHttpFault,
  readModelsVariable,
} from './local-models.ts';
import { describeNetworkFailure, ListFailure } from './model-list-failure.ts';
import { modelSources, type Source } from './model-sources.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export interface FoundModels {
  /** Undefined if no provider gives a model. */
  readonly found: LocalModels | undefined;
  /** One sentence for each provider that was found and cannot be used, for the welcome. */
  readonly notes: readonly string[];
}

/** Those of MODELS, or else those that are found. Throws if a variable has a value that cannot work, with its name. */
export async function chooseModels(env: Variables): Promise<FoundModels> {
  const own = readModelsVariable(env);
  if (own) return { found: own, notes: [] };
  const { found, notes } = await findModels(env);
  if (found || !env.MODEL_DEFAULT) return { found, notes };
  const reason = notes[0] ?? 'MODELS is not set and no model was found.';
  throw new Error(`MODEL_DEFAULT is "${env.MODEL_DEFAULT}", but there is no such model: ${reason}`);
}

async function findModels(env: Variables): Promise<FoundModels> {
  const listed = await Promise.all(modelSources(env).map((source) => listModels(source, env)));
  const sources = listed.flatMap((each) => (typeof each === 'string' ? [] : [each]));
  const notes = listed.filter((each) => typeof each === 'string');
  const models: Record<string, ModelEntry> = {};
  const named = sources.map(({ source, ids }) => ({
    variable: source.variable,
    override: source.override,
    names: ids.map((id) => {
      const name = freeName(catalogName(id), source.provider, models);
      models[name] = source.toEntry(id);
      return name;
    }),
  }));
  const first = named[0]?.names[0];
  if (first === undefined) return { found: undefined, notes };
  const keys = Object.fromEntries(sources.flatMap(({ source }) => (source.key ? [source.key] : [])));
  const defaultModel = readDefault(env.MODEL_DEFAULT, Object.keys(models)) ?? first;
  const found = { models, defaultModel, keys, allowPrivate: loopbackHosts(models), sources: named };
  return { found, notes };
}

/** A model of a second provider that has the name of one of the first. */
const freeName = (name: string, provider: string, models: object) =>
  Object.hasOwn(models, name) ? `${provider}-${name}`.slice(0, 64) : name;

function readDefault(wanted: string | undefined, names: readonly string[]): string | undefined {
  if (!wanted || names.includes(wanted)) return wanted || undefined;
  throw new Error(`MODEL_DEFAULT must be one of the models that were found: ${names.join(', ')}.`);
}

interface Listed {
  readonly source: Source;
  /** The default first. */
  readonly ids: readonly string[];
}

/** A sentence if there are none. A model that is named is not looked up, so that this works offline too. */
async function listModels(source: Source, env: Variables): Promise<Listed | string> {
  const { variable, override, address } = source;
  const { allowPrivate } = parseEgressPolicy(env.EGRESS_ALLOW_PRIVATE);
  const fault = plainHttpFault(address, allowPrivate);
  if (fault) throw new Error(`${variable}: ${fault}`);
  const wanted = env[override];
  if (wanted) return { source, ids: [wanted] };
  const hint = `${override}=<model> uses a model without asking for the list.`;
  try {
    const ids = (await source.list()).filter((id) => !notForText.test(id));
    if (ids.length > 0) return { source, ids: preferredFirst(ids, source.preferred).slice(0, modelsMax) };
    return `${variable}: ${address} has no model that writes text. ${hint}`;
  } catch (error) {
    const reason = error instanceof ListFailure ? error.message : describeNetworkFailure(error);
    return `${variable}: the models of ${address} could not be listed: ${reason}. ${hint}`;
  }
}

/** Of a provider; the catalog is a variable of the functions. */
const modelsMax = 40;

/** By their names, because the lists do not say what a model does. */
const notForText =
  /embed|whisper|tts|dall-e|image|audio|moderation|realtime|transcribe|rerank|sora|canvas|reel|sonic|stable-|babbage|davinci|instruct-0914/i;

function preferredFirst(ids: readonly string[], preferred: RegExp): readonly string[] {
  const best = ids.find((id) => preferred.test(id));
  return best === undefined ? ids : [best, ...ids.filter((id) => id !== best)];
}
