// What models have used, of any number of pages.
import type { Query, Result } from './operations.ts';
import { request } from './request.ts';
import type { Target } from './target.ts';

export type UsageRow = Result<'listUsage'>['items'][number];
type UsageFilter = {
  readonly [Name in keyof Query<'listUsage'>]?: Query<'listUsage'>[Name] | undefined;
};

/** Without `workspaceid`, all workspaces that the credentials are for. */
export async function listUsage(target: Target, filter: UsageFilter): Promise<UsageRow[]> {
  const rows: UsageRow[] = [];
  for (let cursor: string | undefined, isLast = false; !isLast; ) {
    const { body } = await request(target, 'listUsage', 'Reading the usage', {
      query: { ...filter, limit: '200', cursor } as Query<'listUsage'>,
    });
    rows.push(...body.items);
    cursor = body.nextCursor;
    isLast = cursor === undefined;
  }
  return rows;
}
