// The specification's access rule `A2ARegistryAccess`: who may call an agent. One pure function for every
// entry point.
import { ServiceError } from '#lib/errors.ts';
import type { Caller } from './caller.ts';

interface Guarded {
  readonly orgid: string;
  readonly visibility: 'public' | 'organization';
}

/** `public`: any valid key of the tenant. `organization`: a key of the same organisation. */
export function a2aRegistryAccess(row: Guarded, caller: Pick<Caller, 'orgid'>): boolean {
  switch (row.visibility) {
    case 'public':
      return true;
    case 'organization':
      return row.orgid === caller.orgid;
  }
}

/**
 * An agent that does not exist and one that the caller may not use give the same 401 as a bad key, so they
 * cannot be distinguished.
 */
export function requireRegistryAccess<R extends Guarded>(
  row: R | undefined,
  caller: Pick<Caller, 'orgid'> | undefined,
): R {
  if (row && (caller ? a2aRegistryAccess(row, caller) : row.visibility === 'public')) return row;
  throw new ServiceError('unauthenticated');
}

/** Added to the detail of that 401. */
export const agentKeyWanted =
  'For an agent that is not public it must be a key of its organisation. A URL without an agent gives the same response.';
