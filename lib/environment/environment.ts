// The schemas of an environment: its name in paths, the body of a request, and its settings.
import * as z from 'zod';
import { flowid, orgid, registryId, workspaceid } from '#lib/ids.ts';
import { envVariable } from '#lib/registry/row/stored-row.ts';

export const environmentName = z.enum(['live', 'test', 'dev', 'uat']);
export type Environment = z.infer<typeof environmentName>;

const notAnEnvironment = 'must be one of "live", "prod", "test", "dev", "uat"';

/** Matches any case without flags, which patterns in JSON Schema do not have. */
const inAnyCase = (words: readonly string[]): RegExp =>
  new RegExp(
    `^(${words.map((word) => word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)).join('|')})$`,
  );

/** `prod` is an alias of `live`. Any case. */
export const environment = z
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
  });

/** Pins are checked with one BatchGetItem, which reads at most 100 items. */
const pinsMax = 100;

const pins = z
  .record(flowid, registryId)
  .refine((value) => Object.keys(value).length <= pinsMax, `must pin at most ${pinsMax} flows`)
  .meta({
    maxProperties: pinsMax,
    description: 'The build that the environment runs, by flow. Must be empty for `live`.',
  });
const env = envVariable.meta({
  description:
    "Plain variables that every flow of the workspace sees as `env` in this environment; they win over the build's `env_variable`. Not for secrets.",
});

/** Of which runs the inputs and outputs of nodes are kept. */
export const keepValues = z.enum(['all', 'failed', 'off']);
export type KeepValues = z.infer<typeof keepValues>;

/** Where nothing is set. */
export const keepValuesDefault = (name: Environment): KeepValues => (name === 'live' ? 'off' : 'all');

const keepValuesSetting = keepValues.optional().meta({
  description:
    'Of which runs the inputs and outputs of nodes, and what was said to models, are kept: of all, of those that fail, ' +
    'or of none. Encrypted, as long as the run is, and shown to those who have `runs:inspect`. Default: `off` in `live`, `all` elsewhere.',
});

export const environmentBody = z
  .strictObject({ pins, env, keep_values: keepValuesSetting })
  .meta({ id: 'SetEnvironment' });
export type EnvironmentBody = z.infer<typeof environmentBody>;

const timestamp = z.string().meta({ format: 'date-time', description: 'RFC 3339, UTC.' });

export const environmentSettings = z
  .strictObject({
    environment: environmentName,
    workspaceid,
    orgid,
    pins,
    env,
    keep_values: keepValuesSetting,
    version: z.int().positive().meta({ description: 'Goes up by one with every change.' }),
    created_at: timestamp,
    updated_at: timestamp,
    updated_by: z.string().meta({ description: 'The id of the principal.' }),
  })
  .meta({ id: 'Environment' });
export type EnvironmentSettings = z.infer<typeof environmentSettings>;
