// Settings of a model call: as defaults of a declared model, or in a node, where they take precedence.
import * as z from 'zod';
import { lazy } from '#lib/lazy.ts';
import { jsonSchema } from '../format/node-fields.ts';
import { apart } from '../format/notes.ts';

export const settingFields = /* @__PURE__ */ lazy(() => ({
  temperature: z.number().min(0).max(2).optional().meta({
    description: 'Sampling temperature from 0 to 2; the value of a node overrides that of the model.',
  }),
  max_tokens: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .meta({ description: 'Most tokens of one answer; the value of a node overrides that of the model.' }),
  reasoning: z.enum(['low', 'medium', 'high']).optional().meta({
    description:
      'Reasoning effort, by default that of the provider; the value of a node overrides that of the model.',
  }),
  top_p: z.number().min(0).max(1).optional().meta({
    description: 'Nucleus sampling from 0 to 1; the value of a node overrides that of the model.',
  }),
  stop: z.array(z.string().min(1).max(stopCharsMax)).min(1).max(stopsMax).optional().meta({
    description: 'Texts before which the model stops; those of a node override those of the model.',
  }),
  seed: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .optional()
    .meta({
      description: 'Seed of the sampling, for answers that repeat as far as the provider can.',
    }),
  cache: z.boolean().optional().meta({
    description: 'Marks the system prompt and the conversation for the prompt cache of the provider.',
    default: false,
  }),
}));

/** OpenAI takes four. */
const stopsMax = 4;
const stopCharsMax = 100;

/** The model that a node or an agent calls. */
export const modelField = /* @__PURE__ */ lazy(() =>
  z.string().optional().meta({
    description:
      'Name of a model in `models`; defaults to the model named `default`, or else to that of the tenant.',
  }),
);

/** What a node or an agent that calls a model says of its answer. */
export const answerFields = /* @__PURE__ */ lazy(() => ({
  output_schema: jsonSchema().optional().meta({
    description:
      'JSON Schema of the answer, an object; one that does not match, even after a correction, is `model.invalid_output`.',
  }),
  on_cut: z.enum(['continue', 'fail']).optional().meta({
    description:
      'Whether a text that is cut off at `max_tokens` is the answer (`continue`), or the error `model.cut` (`fail`).',
    default: 'continue',
  }),
  stream: z.boolean().optional().meta({
    description: 'Streams the text to the caller while the model writes it; not with `output_schema`.',
  }),
}));

export const streamRule = () =>
  apart(
    ['stream', 'output_schema'],
    { stream: [true] },
    'expected no `stream` together with `output_schema`: an object is of no use before it is complete',
  );

export type OnCut = 'continue' | 'fail' | undefined;

export type ModelSettings = Readonly<z.infer<z.ZodObject<ReturnType<typeof settingFields>>>>;

/** Those that are set. */
export const pickSettings = (settings: ModelSettings) => ({
  ...(settings.temperature !== undefined && { temperature: settings.temperature }),
  ...(settings.max_tokens !== undefined && { max_tokens: settings.max_tokens }),
  ...(settings.reasoning && { reasoning: settings.reasoning }),
  ...(settings.top_p !== undefined && { top_p: settings.top_p }),
  ...(settings.stop && { stop: settings.stop }),
  ...(settings.seed !== undefined && { seed: settings.seed }),
  ...(settings.cache !== undefined && { cache: settings.cache }),
});

/** A setting that the declared provider never takes. Those of other providers are known only at run time. */
export const seedProblem = (provider: string | undefined, { seed }: ModelSettings) =>
  provider === 'bedrock' && seed !== undefined
    ? 'expected no `seed`: models of bedrock take none'
    : undefined;
