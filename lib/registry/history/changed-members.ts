// What an update changed, by the names that callers know. Names only: history is kept for good and must not hold what was removed.
import { isDeepStrictEqual } from 'node:util';
import type { StoredRow } from '../stored-row.ts';

const members = {
  agent_card: (row) => [JSON.parse(row.card), row.tags],
  flow: (row) => row.payload_id,
  flow_version: (row) => row.flow_version,
  visibility: (row) => row.visibility,
  tool_config: (row) => row.tool_config && JSON.parse(row.tool_config),
  env_variable: (row) => row.env_variable,
  egress: (row) => row.egress,
} satisfies Record<string, (row: StoredRow) => unknown>;

/** A flow that is sent again counts as changed: it is sealed, so nobody compares it. */
export const changedMembers = (before: StoredRow, after: StoredRow): string[] =>
  Object.entries(members)
    .filter(([, read]) => !isDeepStrictEqual(read(before), read(after)))
    .map(([name]) => name);
