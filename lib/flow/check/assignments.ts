// Finds the variables of the state that a node sets by `assign`, the `assign` of a `catch`, and `merge`.
import { isList, isObject } from '../format/json-value.ts';
import type { Path } from './mistake.ts';
import type { ReadNode } from './read-nodes.ts';

interface Assignment {
  readonly name: string;
  readonly path: Path;
}

export function* findAssignments({ raw, path }: ReadNode): Iterable<Assignment> {
  if (!isObject(raw)) return;
  const catchers = isList(raw.catch) ? raw.catch : [];
  const places = [
    { fields: raw, path },
    ...catchers.map((fields, index) => ({ fields, path: [...path, 'catch', index] })),
  ];
  for (const { fields, path } of places)
    if (isObject(fields) && isObject(fields.assign))
      for (const name of Object.keys(fields.assign)) yield { name, path: [...path, 'assign', name] };
  if (isObject(raw.merge))
    for (const name of Object.keys(raw.merge)) yield { name, path: [...path, 'merge', name] };
}
