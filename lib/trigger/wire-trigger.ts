// A stored trigger as callers see it: without what changes with every run, so that one version always reads
// the same.
import type { DeclaredTrigger } from './declared-trigger.ts';
import type { StoredTrigger } from './stored-trigger.ts';

export function toWireTrigger({
  user_variables,
  scheduled_since: _,
  next_due: __,
  ...trigger
}: StoredTrigger): DeclaredTrigger {
  return {
    ...trigger,
    ...(user_variables !== undefined && { user_variables: JSON.parse(user_variables) }),
  };
}
