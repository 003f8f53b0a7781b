// Messages that could not be run: listing, reading, redriving and dismissing them.
import * as z from 'zod';
import { lettersBody, lettersDone, lookedAtMax } from '#lib/dead-letter/act-on-letters.ts';
import { pageCursor, pageLimit, pageSchema } from '#lib/http/parameters.ts';
import { endsAbandonedRuns, management, route } from '#lib/http/route.ts';
import { runId, workspaceid } from '#lib/ids.ts';
import { deadLetter } from '#lib/run/dead-letter.ts';

const shared = { ...management, tag: 'Triggers' } as const;

export const deadLetterRoutes = {
  listDeadLetters: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/dead-letters',
    otherMethods: 'byFunction',
    entry: 'dead-letter/list',
    auditName: 'run/list-dead-letters',
    summary: 'List events and runs that could not be run',
    description:
      'The dead letters of a workspace in the order of their ids, each with its reason. They are ' +
      'kept as long as runs, counted from the last failure. A dead letter whose run has ended, such' +
      ' as after a redrive, is not listed, nor is a dismissed one.',
    permission: 'assistants.flows:read',
    query: z.strictObject({
      workspaceid,
      limit: pageLimit('Dead letters'),
      cursor: pageCursor,
    }),
    response: {
      status: 200,
      description: 'One page of dead letters.',
      schema: pageSchema(deadLetter, 'DeadLetterPage'),
    },
    errors: [],
    uses: ['deadLetters.read', 'flowKey.open', 'runs.read'],
  }),

  redriveDeadLetter: route({
    ...shared,
    method: 'POST',
    path: '/api/v1/dead-letters/{id}/redrive',
    otherMethods: 'byFunction',
    entry: 'dead-letter/redrive',
    auditName: 'run/redrive-dead-letter',
    audited: true,
    summary: 'Put a dead letter back into the queue',
    description:
      'Do this when the cause is fixed. Repeating it has no further effect: the run keeps its id, ' +
      'and a run that has ended stays unchanged, with the response 409. No request body.',
    permission: 'assistants.flows:run',
    params: z.strictObject({ id: runId }),
    query: z.strictObject({ workspaceid }),
    response: { status: 202, description: 'It is in the queue.', schema: deadLetter },
    errors: ['dead_letter_not_found', 'run_over'],
    uses: ['deadLetters.read', 'deadLetters.write', 'flowKey.open', 'runQueue.send', ...endsAbandonedRuns],
  }),

  dismissDeadLetter: route({
    ...shared,
    method: 'DELETE',
    path: '/api/v1/dead-letters/{id}',
    otherMethods: 'byFunction',
    entry: 'dead-letter/dismiss',
    auditName: 'run/dismiss-dead-letter',
    audited: true,
    summary: 'Dismiss a dead letter',
    description:
      'For an event that will not be run. It is removed from the list, its content is deleted, and ' +
      'it cannot be redriven; its status stays `failed`, with the reason. Another message with its ' +
      'id that fails makes it a dead letter again.',
    permission: 'assistants.flows:delete',
    params: z.strictObject({ id: runId }),
    query: z.strictObject({ workspaceid }),
    response: { status: 204, description: 'Dismissed.' },
    errors: ['dead_letter_not_found'],
    uses: ['deadLetters.read', 'deadLetters.write'],
  }),

  redriveDeadLetters: route({
    ...shared,
    method: 'POST',
    path: '/api/v1/dead-letters/redrive',
    otherMethods: 'byFunction',
    entry: 'dead-letter/redrive-all',
    auditName: 'run/redrive-dead-letters',
    audited: true,
    summary: 'Put the dead letters that pass a filter back into the queue',
    description:
      `A request looks at ${lookedAtMax} dead letters and redrives those that pass all members of the filter. Send it again with \`next\` ` +
      'as `after` until there is no `next`. Those that are in the queue already, and those whose run has ended, are left out.',
    permission: 'assistants.flows:run',
    query: z.strictObject({ workspaceid }),
    body: lettersBody,
    bodyKind: 'management',
    response: { status: 200, description: 'How many are in the queue.', schema: lettersDone },
    errors: [],
    uses: ['deadLetters.read', 'deadLetters.write', 'flowKey.open', 'runQueue.send', ...endsAbandonedRuns],
  }),

  dismissDeadLetters: route({
    ...shared,
    method: 'POST',
    path: '/api/v1/dead-letters/dismiss',
    otherMethods: 'byFunction',
    entry: 'dead-letter/dismiss-all',
    auditName: 'run/dismiss-dead-letters',
    audited: true,
    summary: 'Dismiss the dead letters that pass a filter',
    description:
      `A request looks at ${lookedAtMax} dead letters and dismisses those that pass all members of the filter. Send it again with \`next\` ` +
      'as `after` until there is no `next`. Their content is deleted, and they cannot be redriven.',
    permission: 'assistants.flows:delete',
    query: z.strictObject({ workspaceid }),
    body: lettersBody,
    bodyKind: 'management',
    response: { status: 200, description: 'How many were dismissed.', schema: lettersDone },
    errors: [],
    uses: ['deadLetters.read', 'deadLetters.write'],
  }),
} as const;
