// The models of a local service: those of MODELS, or those that were found.

import { isListed } from '#lib/flow/format/egress.ts';
import { type ModelCatalog, modelCatalogSchema, parseTenantModels } from '#lib/model/catalog.ts';
import type { Secret } from '#lib/secret.ts';
import { describeIssue } from '#lib/zod-messages.ts';

export interface LocalModels {
  readonly models: ModelCatalog;
  readonly defaultModel: string;
  /** By the variables that `api_key_ref` of the models names. */
  readonly keys: Readonly<Record<string, Secret>>;
  /** The servers of models on this machine, as `host:port`. */
  readonly allowPrivate: readonly string[];
  readonly sources: readonly ModelSource[];
}

export interface ModelSource {
  /** The variable that led to the models, and the one that chooses among them. */
  readonly variable: string;
  readonly override: string;
  /** Of the models in the catalog, by which flows select them. The default first. */
  readonly names: readonly string[];
}

/** The models of the variable MODELS; undefined if it is not set. Throws with the field that is wrong. */
export function readModelsVariable(
  env: Readonly<Record<string, string | undefined>>,
): LocalModels | undefined {
  if (!env.MODELS) return undefined;
  requireFields(env.MODELS);
  const { models, defaultModel } = parseTenantModels(env.MODELS, env.MODEL_DEFAULT || undefined);
  if (defaultModel === undefined) throw new Error('MODELS must have at least one model.');
  for (const entry of Object.values(models)) {
    const ref = entry.provider === 'openai-compatible' ? entry.api_key_ref : undefined;
    if (ref && !env[ref])
      throw new Error(`MODELS names ${ref} as an api_key_ref, and that variable is not set.`);
  }
  const names = [defaultModel, ...Object.keys(models).filter((name) => name !== defaultModel)];
  const sources = [{ variable: 'MODELS', override: 'MODEL_DEFAULT', names }];
  return { models, defaultModel, keys: {}, allowPrivate: loopbackHosts(models), sources };
}

function requireFields(text: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('MODELS is not valid JSON.');
  }
  const parsed = modelCatalogSchema.safeParse(value, { error: (issue) => describeIssue(issue) });
  const issue = parsed.error?.issues[0];
  if (!issue) return;
  const field = [...issue.path, ...(issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [])];
  throw new Error(`${['MODELS', ...field.map(String)].join('.')}: ${issue.message}.`);
}

/** The name of a model in the catalog: its id as far as names allow it. */
export function catalogName(id: string): string {
  const name = id.toLowerCase().replaceAll(/[^a-z0-9._-]+/g, '-');
  return (/^[a-z]/.test(name) ? name : `m-${name}`).slice(0, 64);
}

/** The hosts of models that run on this machine. */
export const loopbackHosts = (models: ModelCatalog): readonly string[] => [
  ...new Set(
    Object.values(models).flatMap((entry) => {
      const url = entry.provider === 'openai-compatible' ? new URL(entry.base_url) : undefined;
      return url && isLoopback(url) ? [withPort(url)] : [];
    }),
  ),
];

/** Why requests to the address would be refused; undefined if they would not. */
export function plainHttpFault(address: string, allowPrivate: readonly string[]): string | undefined {
  const url = URL.parse(address);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return `"${address}" is not an http(s) URL.`;
  if (url.username || url.password || url.search || url.hash)
    return 'the URL must have no user, query or fragment.';
  if (url.protocol === 'https:' || isLoopback(url) || isListed(url, allowPrivate)) return undefined;
  return `plain http is only allowed on this machine; EGRESS_ALLOW_PRIVATE=${withPort(url)} allows this host.`;
}

const isLoopback = ({ hostname }: URL) => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

const withPort = (url: URL) => `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;
