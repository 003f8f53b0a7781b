// The input that a run was started with, for people who may inspect it. The header of a run that
// its own request executed to the end holds it where the environment keeps values, or once another process needs it.
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { runId } from '#lib/ids.ts';
import { type JsonObject, jsonObject } from '#lib/json/json.ts';
import { ownHeaderById } from './own-run.ts';
import { decryptInput } from './run-encryption.ts';
import type { StoredRun } from './stored-run.ts';

export const runInput = z
  .strictObject({
    workflow_id: runId,
    input: jsonObject.meta({
      description:
        'What expressions of the flow see as `input`: `message`, `user_variables`, and `files`, `event` or `a2a` where there are any.',
    }),
  })
  .meta({ id: 'RunInput' });

export interface InspectedInput {
  readonly run: StoredRun;
  readonly input: JsonObject;
}

/** Throws `run_not_found`, `event_not_run` or `run_input_not_kept`. */
export async function inspectInput(caller: Caller, id: string): Promise<InspectedInput> {
  const run = await ownHeaderById(caller, id);
  const input = await decryptInput(run);
  if (input !== undefined) return { run, input: JSON.parse(input) as JsonObject };
  throw inputNotKept(run);
}

export const inputNotKept = ({ environment, workspaceid }: StoredRun) =>
  new ServiceError('run_input_not_kept', {
    detail:
      'The run was executed by the request that started it, which had the input; of such runs it is kept where the ' +
      `setting \`keep_values\` of the environment ${environment} says so, and of flows that have paused.`,
    workspaceid,
  });
