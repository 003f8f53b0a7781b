// The migration of the search: gives rows what it finds them by, and deletes the search documents of earlier versions.
import { batchDelete } from '#lib/dynamo/batch.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { indexRow } from '#lib/registry/listing/index-row.ts';
import { rowFormat } from '#lib/registry/row/stored-row.ts';
import type { Job } from './job.ts';
import { rowJob } from './rows.ts';

const rows = rowJob({
  // A live row may have been written in the current form by a job that signs cards, which writes no postings.
  isNeeded: ({ format = 1, status, search_id }) =>
    format < rowFormat || (status === 'live' && search_id === undefined),
  write: indexRow,
});

/** All that is in gsi1 under this prefix is a search document. */
const documents = 'SEARCH#';

export const searchJob: Job = {
  items: {
    IndexName: 'gsi1',
    FilterExpression: '(sk = :meta AND begins_with(pk, :agent)) OR begins_with(pk, :documents)',
    ExpressionAttributeValues: { ...rows.items.ExpressionAttributeValues, ':documents': documents },
  },
  rewrite: async (item) => {
    const [pk, sk] = [String(item.pk), String(item.sk)];
    if (!pk.startsWith(documents)) return await rows.rewrite(item);
    await batchDelete(controlTable, [{ pk, sk }]);
    return 'changed';
  },
};
