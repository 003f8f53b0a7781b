// The environments of a workspace: their names in paths, and what may be said about one.
import * as z from 'zod';
import { flowid, orgid, registryId, workspaceid } from '#lib/ids.ts';
import { envVariable } from '#lib/registry/stored-row.ts';

export const environmentName = z.enum(['live', 'test', 'dev', 'uat']);
export type Environment = z.infer<typeof environmentName>;

const environmentFault = 'must be one of "live", "prod", "test", "dev", "uat"';

/** As a pattern without flags, which JSON Schema can say too. */
const inAnyCase = (words: readonly string[]): RegExp =>
  new RegExp(
    `^(${words.map((word) => word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)).join('|')})$`,
  );

/** `prod` is another name of `live`. Any case. */
export const environment = z
  .string()
  .regex(inAnyCase(['live', 'prod', ...environmentName.exclude(['live']).options]), environmentFault)
  .transform((value): Environment => {
    const name = value.toLowerCase();
    return name === 'prod' ? 'live' : environmentName.parse(name);
  })
  .meta({
    description:
      '`live` or `prod`: the live build. `test`, `dev` or `uat`: the build pinned to it, else the newest test build. Any case.',
    example: 'live',
  });

/** They are checked with one call, which takes 100. */
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

export const environmentBody = z.strictObject({ pins, env }).meta({ id: 'SetEnvironment' });
export type EnvironmentBody = z.infer<typeof environmentBody>;

const timestamp = z.string().meta({ format: 'date-time', description: 'RFC 3339, UTC.' });

export const environmentSettings = z
  .strictObject({
    environment: environmentName,
    workspaceid,
    orgid,
    pins,
    env,
    version: z.int().positive().meta({ description: 'Goes up by one with every change.' }),
    created_at: timestamp,
    updated_at: timestamp,
    updated_by: z.string(),
  })
  .meta({ id: 'Environment' });
export type EnvironmentSettings = z.infer<typeof environmentSettings>;
