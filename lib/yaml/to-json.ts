// Converts parsed YAML to plain JSON values. Aliases are followed here, with a budget: one alias can stand for a
// thousand others ("billion laughs").
import { isAlias, isMap, isScalar, isSeq, type ParsedNode, type YAMLMap, type YAMLSeq } from 'yaml';
import { jsonDepthMax } from '#lib/json/depth.ts';
import { truncate } from '#lib/truncate.ts';
import { YamlMistake } from './yaml-mistake.ts';

/** The values with anchors that have been read. An alias means the last one of its name before it. */
export type Anchors = Map<string, ParsedNode>;

/** Values and characters of texts together, aliases followed. */
const sizeMax = 4_000_000;

type Node = ParsedNode | null | undefined;

interface Reading {
  readonly anchors: Anchors;
  /** The target of each alias, for those who look for a position. */
  readonly around: Set<Node>;
  size: number;
}

/** Throws a `YamlMistake`. */
export const toJson = (root: Node, anchors: Anchors): unknown =>
  convert(root, { anchors, around: new Set(), size: 0 }, 0);

function convert(node: Node, reading: Reading, depth: number): unknown {
  const offset = node?.range[0] ?? 0;
  if (depth > jsonDepthMax) throw new YamlMistake(`it is nested deeper than ${jsonDepthMax} levels`, offset);
  charge(reading, 1, offset);
  if (isAlias(node)) return convertAlias(node.source, reading, depth, offset);
  if (node?.anchor) reading.anchors.set(node.anchor, node);
  if (isMap(node)) return within(node, reading, () => convertMap(node, reading, depth));
  if (isSeq(node)) return within(node, reading, () => convertList(node, reading, depth));
  return isScalar(node) ? convertScalar(node.value, reading, offset) : null;
}

function charge(reading: Reading, size: number, offset: number): void {
  reading.size += size;
  if (reading.size > sizeMax) throw new YamlMistake('it is too large once its aliases are followed', offset);
}

function convertAlias(name: string, reading: Reading, depth: number, offset: number): unknown {
  const target = reading.anchors.get(name);
  if (!target) throw new YamlMistake('it has an alias without an anchor before it', offset);
  if (reading.around.has(target)) throw new YamlMistake('it has an alias inside its own value', offset);
  return convert(target, reading, depth);
}

function within<T>(node: ParsedNode, reading: Reading, read: () => T): T {
  reading.around.add(node);
  const value = read();
  reading.around.delete(node);
  return value;
}

function convertMap({ items }: YAMLMap<unknown, unknown>, reading: Reading, depth: number): object {
  const members = new Map<string, unknown>();
  for (const { key, value } of items as readonly { readonly key: Node; readonly value: Node }[]) {
    const name = readKey(key, reading);
    if (members.has(name))
      throw new YamlMistake(
        `it has the name "${truncate(name, 64)}", which is used twice in its object`,
        key?.range[0] ?? 0,
      );
    charge(reading, name.length, key?.range[0] ?? 0);
    members.set(name, convert(value, reading, depth + 1));
  }
  // Unlike an assignment, this makes `__proto__` a member like any other; the checks of the caller refuse it.
  return Object.fromEntries(members);
}

function readKey(key: Node, { anchors }: Reading): string {
  if (!isScalar(key))
    throw new YamlMistake('it has a name that is not a text: write "{{ … }}" in quotes', key?.range[0] ?? 0);
  if (key.anchor) anchors.set(key.anchor, key);
  return typeof key.value === 'string' ? key.value : '';
}

const convertList = ({ items }: YAMLSeq<unknown>, reading: Reading, depth: number): unknown[] =>
  (items as readonly Node[]).map((item) => convert(item, reading, depth + 1));

function convertScalar(value: unknown, reading: Reading, offset: number): unknown {
  if (typeof value === 'string') charge(reading, value.length, offset);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new YamlMistake('it has a number that JSON does not have', offset);
  return value ?? null;
}
