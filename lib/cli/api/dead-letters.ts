// Dead letters of a workspace: those that pass a filter, of any number of pages, and what is done with them.
import { CommandFailure } from '../command-failure.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Result } from './operations.ts';
import { request } from './request.ts';
import { requireWorkspace, type Target } from './target.ts';

type DeadLetter = Result<'listDeadLetters'>['items'][number];

/** A dead letter passes if it passes all members. They mean what they mean in the body of `redriveDeadLetters`. */
export interface LetterFilter {
  readonly flowid?: string | undefined;
  readonly reason?: string | undefined;
  readonly before?: string | undefined;
}

/** The list of the service has no filter. */
export async function* listDeadLetters(
  target: Target,
  filter: LetterFilter = {},
): AsyncGenerator<DeadLetter> {
  const workspaceid = requireWorkspace(target);
  for (let cursor: string | undefined, isLast = false; !isLast; ) {
    const { body } = await request(target, 'listDeadLetters', 'Listing the dead letters', {
      query: { workspaceid, limit: '200', ...(cursor !== undefined && { cursor }) },
    });
    yield* body.items.filter((letter) => passes(letter, filter));
    cursor = body.nextCursor;
    isLast = cursor === undefined;
  }
}

const passes = (letter: DeadLetter, { flowid, reason, before }: LetterFilter): boolean =>
  (flowid === undefined || letter.flowid === flowid) &&
  (reason === undefined || letter.reason === reason) &&
  (before === undefined || Date.parse(letter.last_seen_at) < Date.parse(before));

export async function findDeadLetter(target: Target, id: string): Promise<DeadLetter> {
  for await (const letter of listDeadLetters(target)) if (letter.id === id) return letter;
  throw new CommandFailure(`There is no dead letter ${id} in this workspace.`, {
    exitCode: exitCodes.refused,
    members: { code: 'dead_letter_not_found', retry: false },
  });
}

/** Returns how many were redriven or dismissed. A request looks at a bounded number. */
export async function actOnDeadLetters(
  target: Target,
  operation: 'redriveDeadLetters' | 'dismissDeadLetters',
  filter: LetterFilter,
): Promise<number> {
  const query = { workspaceid: requireWorkspace(target) };
  const what = `${operation === 'redriveDeadLetters' ? 'Redriving' : 'Dismissing'} the dead letters`;
  let done = 0;
  for (let after: string | undefined, isLast = false; !isLast; ) {
    const { body } = await request(target, operation, what, {
      query,
      body: { ...filter, after },
    });
    done += body.done;
    after = body.next;
    isLast = after === undefined;
  }
  return done;
}
