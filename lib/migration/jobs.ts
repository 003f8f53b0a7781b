// All migrations, by the names that operators give. A job stays here as long as items of its old form can exist in a
// deployment.
import { indexRow } from '#lib/registry/listing/index-row.ts';
import { hasFormerCard, renewCard } from '#lib/registry/renew-card.ts';
import { rowFormat } from '#lib/registry/row/stored-row.ts';
import type { Job } from './job.ts';
import type { JobName } from './job-names.ts';
import { rowJob } from './rows.ts';
import { searchJob } from './search-index.ts';

export const jobs: Readonly<Record<JobName, Job>> = {
  /** Lets lists find rows that were last written before the list index (docs/decisions/0015-list-index.md). */
  'list-index': rowJob({ isNeeded: ({ format = 1 }) => format < rowFormat, write: indexRow }),
  /** The same for the search, and deletes the documents in which it looked before (docs/decisions/0082-search-postings.md). */
  'search-index': searchJob,
  /** Has cards signed again after a change of the address or of the signing key (docs/decisions/0074-former-addresses.md). */
  addresses: rowJob({
    isNeeded: hasFormerCard,
    write: async (row) => await renewCard(row, new Date().toISOString()),
  }),
};
