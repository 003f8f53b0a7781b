// Which kind an item is of, by its key.
import { type ControlKind, controlKinds } from './control-kinds.ts';
import type { ItemKey, ItemKind, KnownItem, TableName } from './kind.ts';
import { type RunsKind, runsKinds } from './runs-kinds.ts';

export const kinds: Readonly<Record<TableName, readonly ItemKind[]>> = {
  control: controlKinds,
  runs: runsKinds,
};
export type KindName = ControlKind | RunsKind;

/** Undefined for an item that no version of the service writes. */
export function identify(table: TableName, { pk, sk }: ItemKey): KnownItem<KindName> | undefined {
  for (const kind of kinds[table]) {
    const matched = kind.pk.exec(pk);
    const rest = matched && kind.sk.exec(sk);
    if (rest)
      return { kind: kind as KnownItem<KindName>['kind'], named: { ...matched.groups, ...rest.groups } };
  }
  return undefined;
}
