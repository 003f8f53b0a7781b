// An entry of a row's history as it is stored, and as callers see it.
import * as z from 'zod';
import { registryId } from '#lib/ids.ts';
import { status } from '../row/stored-row.ts';

const action = z
  .enum(['created', 'updated', 'promoted', 'demoted', 'rolled_back', 'restored', 'deleted'])
  .meta({
    description:
      '"promoted" and "demoted" are the two sides of a promotion, "restored" and "rolled_back" those of a rollback.',
  });
export type HistoryAction = z.infer<typeof action>;

const entry = {
  version: z.int().positive().meta({ description: 'The version of the row that the change made.' }),
  action,
  by: z.string().meta({ description: 'Id of the credential.' }),
  at: z.string().meta({ format: 'date-time', description: 'RFC 3339, UTC: when the request came in.' }),
  from: status.optional(),
  to: status.optional(),
  demoted: registryId.optional().meta({ description: 'The build that was live before this one.' }),
  successor: registryId.optional().meta({ description: 'The build that is live in place of this one.' }),
  changed: z.array(z.string()).optional().meta({ description: 'The members that an update changed.' }),
  request_id: z.string().optional(),
};

export const storedHistoryEntry = z.object(entry);
export type HistoryEntry = z.infer<typeof storedHistoryEntry>;

export const historyPage = z
  .strictObject({
    items: z.array(z.strictObject(entry).meta({ id: 'HistoryEntry' })),
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'HistoryPage' });
