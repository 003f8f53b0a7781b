// Lists runs, newest first, of any number of pages.
import type { Query, Result } from './operations.ts';
import { request } from './request.ts';
import { requireWorkspace, type Target } from './target.ts';

type Run = Result<'listRuns'>['items'][number];
type Given = { readonly [Name in keyof Query<'listRuns'>]?: Query<'listRuns'>[Name] | undefined };

export async function* listRuns(target: Target, filters: Given): AsyncGenerator<Run> {
  const workspaceid = requireWorkspace(target);
  for (let cursor: string | undefined, isLast = false; !isLast; ) {
    const { body } = await request(target, 'listRuns', 'Listing the runs', {
      query: { ...filters, cursor, workspaceid } as Query<'listRuns'>,
    });
    yield* body.items;
    cursor = body.nextCursor;
    isLast = cursor === undefined;
  }
}
