// YAML, for edits of single members. Positions are those of the package `yaml`, which keeps each token of the source; so
// comments, quotes and anchors elsewhere stay as they are.
import {
  isCollection,
  isMap,
  isScalar,
  type Pair,
  type ParsedNode,
  parseDocument,
  stringify,
  type YAMLMap,
} from 'yaml';
import type { Json } from '#lib/json/json.ts';
import { readYaml } from '#lib/yaml/read-yaml.ts';
import { indentRest, newlineOf, outdentRest, type TextEdit, type TextFormat } from './text-format.ts';

type Node = ParsedNode | null | undefined;
type ParsedMap = YAMLMap.Parsed<ParsedNode, ParsedNode | null>;
type Member = Pair<ParsedNode, ParsedNode | null>;

/** Long texts are not folded. */
const options = { lineWidth: 0 } as const;

export const yamlFormat: TextFormat = {
  name: 'YAML',
  read: (text) => {
    const read = readYaml(text);
    return read.isYaml ? (read.value as Json) : undefined;
  },
  write: (value) => {
    // Texts of several lines are indented only below a name.
    const text =
      typeof value === 'string' ? stringify({ v: value }, options).slice(3) : stringify(value, options);
    return text.replace(/\n$/, '');
  },
  sourceOf: (text, path) => {
    const member = findMember(parse(text), path);
    const { value } = member ?? {};
    if (!member || !value) return undefined;
    const indent = isBlock(text, value)
      ? columnOf(text, value.range[0])
      : columnOf(text, member.key.range[0]);
    return outdentRest(text.slice(value.range[0], endOf(text, value)), ' '.repeat(indent));
  },
  place: (text, path, source) => {
    const root = parse(text);
    const member = findMember(root, path);
    if (member) return listReplacements(text, member, source);
    const map = findNode(root, path.slice(0, -1));
    const name = path.at(-1);
    if (!isMap(map) || name === undefined) return [];
    const parent = findMember(root, path.slice(0, -1));
    if (map.items.length === 0 && parent)
      return listReplacements(text, parent, joinMember(stringify(name).trimEnd(), source, '  '));
    return listInsertions(text, map as ParsedMap, name, source);
  },
  remove: (text, path) => {
    const root = parse(text);
    const map = findNode(root, path.slice(0, -1));
    const member = findMember(root, path);
    if (!isMap(map) || !member) return [];
    if (map.items.length > 1) return listRemovals(text, map as ParsedMap, member);
    const parent = findMember(root, path.slice(0, -1));
    return parent ? listReplacements(text, parent, '{}') : [];
  },
};

const parse = (text: string): Node =>
  parseDocument(text, { version: '1.2', schema: 'core', keepSourceTokens: true, uniqueKeys: false }).contents;

function findNode(root: Node, path: readonly string[]): Node {
  return path.length === 0 ? root : findMember(root, path)?.value;
}

function findMember(root: Node, path: readonly string[]): Member | undefined {
  const map = path.length > 1 ? findMember(root, path.slice(0, -1))?.value : root;
  if (!isMap(map)) return undefined;
  return (map as ParsedMap).items.find(({ key }) => isScalar(key) && key.value === path.at(-1));
}

const columnOf = (text: string, at: number): number => at - (text.lastIndexOf('\n', at - 1) + 1);

/** The end of what a value is written with, without the space and the comments after it. */
function endOf(text: string, node: ParsedNode): number {
  if (isCollection(node) && !node.flow) {
    const last = node.items.at(-1);
    const inner = isMap(node)
      ? endOfMember(text, last as Member)
      : last
        ? endOf(text, last as ParsedNode)
        : undefined;
    return inner ?? node.range[1];
  }
  const [from, end] = node.range;
  return from + text.slice(from, end).trimEnd().length;
}

const endOfMember = (text: string, member: Member): number => {
  const { value } = member;
  return value && value.range[1] > value.range[0] ? endOf(text, value) : afterColon(member);
};

/** Where the value of a member may begin. */
function afterColon({ key, srcToken }: Member): number {
  const colon = srcToken?.sep?.find(({ type }) => type === 'map-value-ind');
  return colon ? colon.offset + 1 : key.range[1];
}

const endOfLine = (text: string, at: number): number => {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : text[end - 1] === '\r' ? end - 1 : end;
};

/** Collections in lines of their own, which begin below their name. */
const isBlock = (text: string, node: Node): boolean =>
  isCollection(node) &&
  !node.flow &&
  node.range[1] > node.range[0] &&
  /^[ \t]*$|- *$/.test(lineBefore(text, node.range[0]));

const lineBefore = (text: string, at: number): string => text.slice(text.lastIndexOf('\n', at - 1) + 1, at);

const isBlockSource = (source: string): boolean => {
  const value = parse(source);
  return isCollection(value) && !value.flow;
};

/** `name: value`, where lines after the first are indented below the name. */
const joinMember = (name: string, source: string, unit: string): string =>
  isBlockSource(source) ? `${name}:\n${unit}${indentRest(source, unit, '\n')}` : `${name}: ${source}`;

function listReplacements(text: string, member: Member, source: string): TextEdit[] {
  const { key, value } = member;
  const newline = newlineOf(text);
  const column = columnOf(text, key.range[0]);
  const colon = afterColon(member);
  const to = endOfMember(text, member);
  const outer = ' '.repeat(column);
  const inner = ' '.repeat(column + 2);
  if (isBlockSource(source)) {
    const own = value && isBlock(text, value) ? ' '.repeat(columnOf(text, value.range[0])) : undefined;
    const below = { from: colon, to, insert: newline + inner + indentRest(source, inner, newline) };
    if (own === undefined || !value) return [below];
    return [{ from: value.range[0], to, insert: indentRest(source, own, newline) }, below];
  }
  const laid = indentRest(source, outer, newline);
  const beside = { from: colon, to, insert: ` ${laid}` };
  if (!value || value.range[0] === value.range[1] || isBlock(text, value)) return [beside];
  return [{ from: value.range[0], to, insert: laid }, beside];
}

function listInsertions(text: string, map: ParsedMap, name: string, source: string): TextEdit[] {
  const last = map.items.at(-1);
  if (map.flow || !last) {
    const value = JSON.stringify(yamlFormat.read(source) ?? null);
    const member = `${JSON.stringify(name)}: ${value}`;
    if (!last) return [{ from: map.range[0], to: map.range[1], insert: `{ ${member} }` }];
    const at = endOfMember(text, last);
    return [{ from: at, to: at, insert: `, ${member}` }];
  }
  const newline = newlineOf(text);
  const indent = ' '.repeat(columnOf(text, map.items[0]?.key.range[0] ?? 0));
  const member = indent + indentRest(joinMember(stringify(name).trimEnd(), source, '  '), indent, newline);
  const at = endOfLine(text, endOfMember(text, last));
  // Blank lines at the end belong to some texts in lines of their own.
  const end = Math.max(at, map.range[1]);
  const begins = text[end - 1] === '\n' ? '' : newline;
  return [
    { from: at, to: at, insert: newline + member },
    { from: end, to: end, insert: begins + member + newline },
  ];
}

function listRemovals(text: string, map: ParsedMap, member: Member): TextEdit[] {
  const at = map.items.indexOf(member);
  const before = map.items[at - 1];
  const after = map.items[at + 1];
  const from = member.key.range[0];
  const end = endOfMember(text, member);
  if (map.flow) {
    if (before) return [{ from: endOfMember(text, before), to: end, insert: '' }];
    return after ? [{ from, to: after.key.range[0], insert: '' }] : [];
  }
  const next = after && { from, to: after.key.range[0], insert: '' };
  const isFirstOfLine = /^[ \t]*$/.test(lineBefore(text, from));
  if (!isFirstOfLine) return next ? [next] : [];
  const start = from - lineBefore(text, from).length;
  const lineEnd = endOfLine(text, end);
  const lines = { from: start, to: Math.min(text.length, lineEnd + newlineOf(text).length), insert: '' };
  return next ? [lines, next] : [lines];
}
