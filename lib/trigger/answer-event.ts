// The answer to an event that the queue has: at once, or with the result of its run.
import { ServiceError } from '#lib/errors.ts';
import type { Answer } from '#lib/http/answer.ts';
import type { Request } from '#lib/http/request.ts';
import type { AwaitedRun } from './await-result.ts';

/** How an event is answered whose run takes longer. */
type Accepted<R> =
  | { readonly json: R }
  | { readonly text: string; readonly contentType: string; readonly status: number };
type Waiting = Pick<Request, 'at' | 'log' | 'remainingMs' | 'signal' | 'isAdmitted'>;

export async function answerEvent<R>(
  accepted: Accepted<R>,
  awaited: AwaitedRun | undefined,
  request: Waiting,
): Promise<Answer<R>> {
  if (!awaited) return accepted;
  const { awaitResult } = await import('./await-result.ts');
  const answer = await awaitResult(awaited, request);
  if (!(await request.isAdmitted())) throw new ServiceError('unauthenticated');
  const location = `/api/v1/ai/trigger/status/${awaited.workspaceid}/${awaited.runId}`;
  return answer
    ? { ...answer, headers: { ...answer.headers, location } }
    : { ...accepted, headers: { location } };
}
