// The models that a tenant has configured (MODELS, MODEL_DEFAULT), and which of them a flow selects. No model
// is called here.
import * as z from 'zod';
import type { ModelChoice } from '#lib/flow/ports/model.ts';
import { type Secret, secret } from '#lib/secret.ts';

/** US dollars per million tokens, for the cost estimate of runs. */
const price = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      input: z.number().min(0),
      output: z.number().min(0),
      /** Input that the provider reads from its cache, and that it writes there. Defaults: see `usage.ts`. */
      cached_input: z.number().min(0).optional(),
      cache_write: z.number().min(0).optional(),
    })
    .optional(),
);

/** Which files the model takes with a message: types, or ranges such as `image/*`. None: text only. */
const inputTypes = /* @__PURE__ */ z.lazy(() =>
  z
    .array(z.string().regex(/^[a-z0-9][a-z0-9.+-]*\/([a-z0-9][a-z0-9.+-]*|\*)$/))
    .max(50)
    .optional(),
);

/** A guardrail of Amazon Bedrock, in the region of the model. */
const guardrail = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      /** Its id, or the ARN of one that another account shares. */
      id: z
        .string()
        .regex(
          /^([a-z0-9]{1,64}|arn:aws(-[a-z-]+)?:bedrock:[a-z0-9-]{1,20}:\d{12}:guardrail\/[a-z0-9]{1,64})$/,
        ),
      version: z.string().regex(/^([1-9]\d{0,7}|DRAFT)$/),
    })
    .optional(),
);

const bedrockModel = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({
    provider: z.literal('bedrock'),
    /** A model id or inference profile, such as `eu.anthropic.claude-sonnet-4-5-20250929-v1:0`. */
    model: z.string().min(1),
    /** Default: the region of the function. */
    region: z
      .string()
      .regex(/^[a-z]{2}(-[a-z]+)+-\d$/)
      .optional(),
    guardrail,
    input_types: inputTypes,
    price,
  }),
);

const openaiCompatibleModel = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({
    provider: z.literal('openai-compatible'),
    /** With the version segment and nothing after it, such as `https://api.example.com/v1`. */
    base_url: z.string().refine(isPlainUrl, 'expected an http(s) URL without user, query or fragment'),
    model: z.string().min(1),
    /**
     * Name of the environment variable that holds the key. The prefix keeps every other variable out of reach.
     */
    api_key_ref: z
      .string()
      .regex(/^MODEL_KEY_[A-Z0-9_]+$/)
      .optional(),
    guardrail: z.never('expected no `guardrail`: only models of the provider bedrock have one').optional(),
    input_types: inputTypes,
    price,
  }),
);

const modelEntrySchema = z.discriminatedUnion('provider', [bedrockModel, openaiCompatibleModel]);

export const modelCatalogSchema = /* @__PURE__ */ z.lazy(() =>
  z.record(z.string().regex(/^[a-z][a-z0-9._-]{0,63}$/), modelEntrySchema),
);

export type ModelEntry = Readonly<z.infer<typeof modelEntrySchema>>;
export type ModelCatalog = Readonly<Record<string, ModelEntry>>;

export interface TenantModels {
  readonly models: ModelCatalog;
  /** A key of `models`; absent only when there is none. */
  readonly defaultModel: string | undefined;
}

/** Reads MODELS and MODEL_DEFAULT. Without MODELS there are no models; a single model needs no default. */
export function parseTenantModels(
  models: string | undefined,
  defaultModel: string | undefined,
): TenantModels {
  const parsed = modelCatalogSchema.safeParse(parseJson(models ?? '{}'));
  if (!parsed.success) throw new Error(`MODELS is not valid:\n${z.prettifyError(parsed.error)}`);
  const names = Object.keys(parsed.data);
  const chosen = defaultModel ?? (names.length === 1 ? names[0] : undefined);
  if (chosen === undefined ? names.length > 0 : !names.includes(chosen)) {
    throw new Error(`MODEL_DEFAULT must be one of the names in MODELS: ${names.join(', ') || '(none)'}.`);
  }
  return { models: parsed.data, defaultModel: chosen };
}

/**
 * Resolves a flow's choice, in this order:
 * 1. nothing given: the tenant's default;
 * 2. `model` alone: the tenant's model of that name;
 * 3. `provider` and `model`, perhaps `base_url`: the first tenant model that is equal in all given fields.
 * Anything else is undefined: a flow selects one of the tenant's models and cannot bring its own.
 */
export function selectModel(
  choice: ModelChoice,
  { models, defaultModel }: TenantModels,
): ModelEntry | undefined {
  const { provider, model, base_url } = choice;
  if (provider === undefined && base_url === undefined) {
    const name = model ?? defaultModel;
    return name !== undefined && Object.hasOwn(models, name) ? models[name] : undefined;
  }
  if (provider === undefined || model === undefined) return undefined;
  return Object.values(models).find(
    (entry) => entry.provider === provider && entry.model === model && hasUrl(entry, base_url),
  );
}

/** The key an entry names, from the environment; undefined when the variable is not set. */
export function readApiKey(variable: string): Secret | undefined {
  const text = process.env[variable];
  return text ? secret(text) : undefined;
}

const hasUrl = (entry: ModelEntry, url: string | undefined) =>
  url === undefined ||
  (entry.provider === 'openai-compatible' && withoutSlash(entry.base_url) === withoutSlash(url));

const withoutSlash = (url: string) => url.replace(/\/$/, '');

function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return false;
  return !(url.username || url.password || url.search || url.hash);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error('MODELS is not valid JSON.', { cause });
  }
}
