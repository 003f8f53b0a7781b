// The name of an environment, and what functions that run flows know of its settings. Their schemas with descriptions are
// in `settings.ts`, since most functions need none.
import * as z from 'zod';

export const environmentName = z.enum(['live', 'test', 'dev', 'uat']);
export type Environment = z.infer<typeof environmentName>;

const notAnEnvironment = 'must be one of "live", "prod", "test", "dev", "uat"';

/** Matches any case without flags, which patterns in JSON Schema do not have. */
const inAnyCase = (words: readonly string[]): RegExp =>
  new RegExp(
    `^(${words.map((word) => word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)).join('|')})$`,
  );

/** `prod` is an alias of `live`. Any case. */
export const environment = /* @__PURE__ */ z.lazy(() =>
  z
    .string()
    .regex(inAnyCase(['live', 'prod', ...environmentName.exclude(['live']).options]), notAnEnvironment)
    .transform((value): Environment => {
      const name = value.toLowerCase();
      return name === 'prod' ? 'live' : environmentName.parse(name);
    })
    .meta({
      description:
        '`live` or `prod`: the live build. `test`, `dev` or `uat`: the build pinned to it, else the newest test build. Any case.',
      example: 'live',
    }),
);

/** Of which runs the inputs and outputs of nodes are kept. */
export const keepValues = z.enum(['all', 'failed', 'off']);
export type KeepValues = z.infer<typeof keepValues>;

/** Where nothing is set. */
export const keepValuesDefault = (name: Environment): KeepValues => (name === 'live' ? 'off' : 'all');
