// The specification's access rule `A2ARegistryAccess`: who may call an agent. One pure function for every door.
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

/** Guards a door: an agent that is missing and one that is not for the caller answer alike, like a bad key, so neither can be told from the other. */
export function requireRegistryAccess<R extends Guarded>(
  row: R | undefined,
  caller: Pick<Caller, 'orgid'> | undefined,
): R {
  if (row && (caller ? a2aRegistryAccess(row, caller) : row.visibility === 'public')) return row;
  throw new ServiceError('unauthenticated');
}

/** Told at such doors to everybody who is not let in. */
export const agentKeyWanted =
  'For an agent that is not public it must be a key of its organisation. An address without an agent is answered alike.';
