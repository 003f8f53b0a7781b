// Finds the position of a value by its path, for messages about the value.
import { isAlias, isMap, isScalar, isSeq, type ParsedNode } from 'yaml';
import { type Locate, positionAt } from '#lib/json/position.ts';
import type { Anchors } from './to-json.ts';

type Node = ParsedNode | null | undefined;

export function createLocate(text: string, root: Node, anchors: Anchors): Locate {
  return (path) => {
    let node: Node = root;
    let found = root?.range[0];
    for (const step of path) {
      const member = findMember(follow(node, anchors), step);
      if (!member) break;
      found = member.offset ?? found;
      node = member.value;
    }
    return found === undefined ? undefined : positionAt(text, found);
  };
}

/** An anchor that is set again is found as it was set last, which may be another value: its position is near. */
const follow = (node: Node, anchors: Anchors): Node => (isAlias(node) ? anchors.get(node.source) : node);

interface Member {
  readonly value: Node;
  readonly offset: number | undefined;
}

function findMember(node: Node, step: string): Member | undefined {
  if (isSeq(node)) {
    const value = node.items[Number(step)] as Node;
    return value ? { value, offset: value.range[0] } : undefined;
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
  return pair && { value: pair.value as Node, offset: (pair.key as Node)?.range[0] };
}
