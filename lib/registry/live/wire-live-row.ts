// The outcome of a promotion or a rollback as callers see it.
import type * as z from 'zod';
import type { Swapped } from '../promote.ts';
import { wireRow } from '../wire-row.ts';
import type { liveRegistryRow } from './live-row.ts';

export const wireLiveRow = ({ row, demoted }: Swapped): z.infer<typeof liveRegistryRow> => ({
  ...wireRow(row),
  ...(demoted !== undefined && { demoted }),
});
