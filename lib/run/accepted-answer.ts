// Whether an answer fits one of the questions of a run, as the flow has declared them: a slip costs an answer of 400 and not the run.
import type * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import { faultOf } from '#lib/flow/answer.ts';
import type { InputRequest } from '#lib/flow/pause.ts';
import type { Json } from '#lib/json.ts';
import type { givenAnswer } from './pause.ts';

interface Offered {
  /** Of the question; not needed where there is one. */
  readonly id?: string | undefined;
  readonly answer?: Json | undefined;
}

export async function acceptedAnswer(
  requests: readonly InputRequest[],
  offered: Offered,
): Promise<z.infer<typeof givenAnswer>> {
  const { answer } = offered;
  if (answer === undefined) throw invalid('/body/answer', 'must be given');
  const request = requestFor(requests, offered);
  const fault = await faultOf(request, answer);
  if (fault !== undefined) throw invalid('/body/answer', fault);
  return { id: request.id, value: answer };
}

export function requestFor(requests: readonly InputRequest[], { id }: Offered): InputRequest {
  const isPlain = id === undefined && requests.length === 1;
  const request = isPlain ? requests[0] : requests.find((each) => each.id === id);
  if (request) return request;
  throw invalid('/body/id', `must be one of ${requests.map((each) => each.id).join(', ')}`);
}

const invalid = (pointer: string, detail: string) =>
  new ServiceError('validation_failed', { errors: [{ pointer, detail }] });
