// Stores a value as a `store` node of a flow does.

import { writeValue } from '#lib/run/stored-value.ts';
import type { ValueOwner } from '#lib/run/stored-value-items.ts';

export const storeValue = async (owner: ValueOwner, key: string) =>
  await writeValue(
    owner,
    { space: 'value', key, value: { n: 1 }, writer: crypto.randomUUID(), keepDays: 30 },
    Date.now(),
  );
