// Checks an answer to a question of a run before the run is resumed, so that a wrong answer changes nothing.
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { Compute } from '../expression/compute.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { findValueFaults } from '../schema/value-faults.ts';
import { findApprovalFault } from './approval.ts';
import type { InputRequest } from './pause.ts';
import { type AcceptedAnswer, findRequests, type Snapshot } from './snapshot.ts';
import { sizeProblem } from './value-size.ts';

export interface Answer {
  /** The id of the question. It defaults to the first question. */
  readonly id?: string;
  readonly value: Json;
  /** The A2A message that has the answer, as its client sent it. */
  readonly message?: JsonObject;
}

export type CheckedAnswer =
  | { readonly accepted: AcceptedAnswer }
  | { readonly refusal: { readonly code: 'answer.unknown' | 'answer.invalid'; readonly message: string } };

export async function checkAnswer(
  { id, value, message }: Answer,
  snapshot: Snapshot | undefined,
  compute: Compute | undefined,
): Promise<CheckedAnswer> {
  const requests = snapshot ? findRequests(snapshot) : [];
  const request = id === undefined ? requests[0] : requests.find((one) => one.id === id);
  if (!request) {
    const message =
      id === undefined
        ? 'The run does not wait for an answer.'
        : `The run does not wait for an answer to "${id}".`;
    return { refusal: { code: 'answer.unknown', message } };
  }
  const fault = await findAnswerFault(request, value, compute);
  if (fault !== undefined)
    return { refusal: { code: 'answer.invalid', message: `The answer does not fit: ${fault}.` } };
  return { accepted: { id: request.id, value, ...(message && { message }) } };
}

/** Describes why the answer does not fit; undefined if it does. */
export async function findAnswerFault(
  request: InputRequest,
  value: Json,
  compute: Compute | undefined,
): Promise<string | undefined> {
  const problem = sizeProblem(value, limits.variableBytes);
  if (problem !== undefined) return problem;
  try {
    return request.purpose === 'approval'
      ? await findApprovalFault(request, value, compute)
      : await findFault(request, value, compute);
  } catch (error) {
    // The question stays open for a smaller answer.
    if (error instanceof NodeError && error.code === 'schema.too_complex')
      return `${error.message} (${error.code})`;
    throw error;
  }
}

async function findFault(
  { schema, choices }: InputRequest,
  value: Json,
  compute: Compute | undefined,
): Promise<string | undefined> {
  if (choices && !choices.some((choice) => choice === value)) return `expected one of ${choices.join(', ')}`;
  const faults = schema ? await findValueFaults(schema, value, compute) : [];
  return faults.length > 0 ? faults.join('; ') : undefined;
}
