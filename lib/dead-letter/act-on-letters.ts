// Redrives or dismisses the dead letters of a workspace that pass a filter, some at a time: each request looks at a
// bounded number, and says where the next one continues.
import * as z from 'zod';
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { flowid, runId, type WorkspaceScope } from '#lib/ids.ts';
import type { StoredDeadLetter } from '#lib/run/dead-letter.ts';
import { queryLetters } from '#lib/run/dead-letter-items.ts';

/** Each letter may have an event of hundreds of KB, and takes several calls of AWS. */
export const lookedAtMax = 25;

const filters = {
  reason: z.string().min(1).max(10_000).optional().meta({
    description: 'Those with exactly this reason, as the list has it.',
  }),
  flowid: flowid.optional().meta({ description: 'Those of this flow.' }),
  before: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2027-01-31T00:00:00Z' })
    .optional()
    .meta({ description: 'Those that failed last before this time.' }),
};
const filterNames = ['reason', 'flowid', 'before'] as const;

export const lettersBody = z
  .strictObject({
    ...filters,
    after: runId.optional().meta({ description: 'The `next` of the answer before.' }),
  })
  .refine((body) => filterNames.some((name) => body[name] !== undefined), {
    error: 'must be given, unless `flowid` or `before` is',
    path: ['reason'],
  })
  .meta({
    id: 'DeadLetterFilter',
    anyOf: filterNames.map((name) => ({ required: [name] })),
  });
type LettersBody = z.infer<typeof lettersBody>;

export const lettersDone = z
  .strictObject({
    done: z.int().meta({ description: 'How many were redriven or dismissed.' }),
    next: runId.optional().meta({
      description: 'Only if there may be more: send the same body again, with this id as `after`.',
    }),
  })
  .meta({ id: 'DeadLettersDone' });

interface LettersRequest extends LettersBody {
  readonly workspaceid: string;
}

/** `act` says whether it did anything. */
export async function actOnLetters(
  caller: Caller,
  { workspaceid, after, ...wanted }: LettersRequest,
  act: (letter: StoredDeadLetter, scope: WorkspaceScope) => Promise<boolean>,
): Promise<z.infer<typeof lettersDone>> {
  requireWorkspace(caller, workspaceid);
  const scope = { orgid: caller.orgid, workspaceid };
  const letters = await queryLetters(scope, lookedAtMax, after);
  const acted = await Promise.all(
    letters.filter((letter) => isWanted(letter, wanted)).map((letter) => act(letter, scope)),
  );
  const last = letters.at(-1);
  return {
    done: acted.filter(Boolean).length,
    ...(letters.length === lookedAtMax && last && { next: last.id }),
  };
}

function isWanted(letter: StoredDeadLetter, { reason, flowid, before }: LettersBody): boolean {
  return (
    (reason === undefined || letter.reason === reason) &&
    (flowid === undefined || letter.flowid === flowid) &&
    (before === undefined || Date.parse(letter.last_seen_at) < Date.parse(before))
  );
}
