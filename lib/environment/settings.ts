// The schemas of the settings of an environment, as callers send and read them.
import * as z from 'zod';
import { flowid, orgid, registryId, workspaceid } from '#lib/ids.ts';
import { envVariable } from '#lib/registry/row/stored-row.ts';
import { environmentName, keepValues } from './environment.ts';
import { sinkState, telemetrySink } from './telemetry-sink.ts';

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

const keepValuesSetting = keepValues.optional().meta({
  description:
    'Of which runs the inputs and outputs of nodes, and what was said to models, are kept: of all, of those that fail, ' +
    'or of none. Encrypted, as long as the run is, and shown to those who have `runs:inspect`. Default: `off` in `live`, `all` elsewhere.',
});

const telemetrySetting = telemetrySink.optional().meta({
  description: 'Where the runs of the environment are exported to when they are over; without it, nowhere.',
});

export const environmentBody = z
  .strictObject({ pins, env, keep_values: keepValuesSetting, telemetry: telemetrySetting })
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
    telemetry: telemetrySetting,
    version: z.int().positive().meta({ description: 'Goes up by one with every change.' }),
    created_at: timestamp,
    updated_at: timestamp,
    updated_by: z.string().meta({ description: 'The id of the principal.' }),
  })
  .meta({ id: 'Environment' });
export const environmentWithState = environmentSettings
  .extend({ telemetry_state: sinkState.optional().meta({ description: 'Only with `telemetry`.' }) })
  .meta({ id: 'EnvironmentWithState' });
export type EnvironmentSettings = z.infer<typeof environmentSettings>;
