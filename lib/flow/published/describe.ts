// How the published schema speaks of a part of a flow: what an editor shows beside a field. In files of their own, because no function that runs
// flows has a use for them.
import type { Json } from '#lib/json/json.ts';

/** The sentence, or the sentence with what an editor may offer. */
export type Word =
  | string
  | { readonly description: string; readonly default?: Json; readonly examples?: readonly Json[] };

/** By the name of the part under `$defs`. */
export type Words = Readonly<Record<string, PartWords>>;

export interface PartWords {
  readonly title: string;
  readonly about: string;
  /** One for each field, in any order. */
  readonly fields: Readonly<Record<string, Word>>;
}

/** Of nodes and agents that ask a model. */
export const modelWords = {
  model: 'Name of a model in `models`; without it the one named `default`, else that of the tenant.',
  temperature: 'How freely the model writes, from 0 to 2; wins over that of the model.',
  max_tokens: 'How many tokens an answer may have; wins over that of the model.',
  reasoning: 'How much the model thinks before it answers; wins over that of the model.',
  output_schema:
    'JSON Schema of the answer, which is then an object; one that does not fit is `model.invalid_output`.',
};

export const requestWords = {
  method: { description: 'Method of the request.', default: 'GET' },
  url: {
    description:
      'The scheme and the host are literal and in `egress`; expressions in the path and the query are encoded.',
    examples: ['https://api.example.com/orders/{{ input.user_variables.order_id }}'],
  },
  query: 'Parameters of the query; a missing value leaves one out, a list repeats it.',
  headers: 'Headers as templates; one that turns out empty is not sent.',
  body: 'What is sent: text as it is, anything else as JSON; only with methods that write.',
  connection: 'Name of the connection whose credential the request carries.',
  response: { description: 'How the answer is read.', default: 'json' },
} as const;

export const contentWords = {
  text: 'Text; template.',
  data: 'Any JSON value with templates.',
  file: 'A file: its bytes or where it is.',
};

export const labelWords = {
  name: 'Name of the artifact; template.',
  description: 'What the artifact is; template.',
};

export const timeoutWords = 'Seconds that one attempt may take; without it 60, or all the time of the run.';
