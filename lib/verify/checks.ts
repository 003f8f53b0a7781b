// All checks by name, in the order in which they are printed.
import { accessChecks } from './access-checks.ts';
import type { Check } from './check.ts';
import { registryChecks } from './registry-checks.ts';
import { runChecks } from './run-checks.ts';

/** Not in the table, since it is of no kind: an item that no version of the service writes. */
const unknownItem = {
  what: 'every item is of a kind that the data model has',
  cure: 'Find the writer in CloudTrail; nothing reads the item. An item of a later version of the service needs the `verify` of that version.',
  on: [],
  find: async () => [],
} as const satisfies Check;

export const checks = {
  'known-item': unknownItem,
  ...registryChecks,
  ...accessChecks,
  ...runChecks,
} as const satisfies Readonly<Record<string, Check>>;
export type CheckName = keyof typeof checks;
export const checkNames = Object.keys(checks) as CheckName[];
