// JSON, for edits of single members. Positions are those of `jsonc-parser`; a new member looks like the one before it.
import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import type { Json } from '#lib/json/json.ts';
import {
  indentAt,
  indentRest,
  newlineOf,
  outdentRest,
  type TextEdit,
  type TextFormat,
} from './text-format.ts';

export const jsonFormat: TextFormat = {
  name: 'JSON',
  read: (text) => {
    try {
      return JSON.parse(text) as Json;
    } catch {
      return undefined;
    }
  },
  write: (value) => JSON.stringify(value, undefined, 2),
  sourceOf: (text, path) => {
    const node = find(text, path);
    return node && outdentRest(sliceOf(text, node), indentAt(text, node.offset));
  },
  place: (text, path, source) => {
    const node = find(text, path);
    if (node) return [replace(text, node, source)];
    const object = find(text, path.slice(0, -1));
    const name = path.at(-1);
    return object?.type === 'object' && name !== undefined ? [insert(text, object, name, source)] : [];
  },
  remove: (text, path) => {
    const property = find(text, path)?.parent;
    return property?.type === 'property' ? [remove(property)] : [];
  },
};

function find(text: string, path: readonly string[]): Node | undefined {
  const root = parseTree(text);
  return root && findNodeAtLocation(root, [...path]);
}

const endOf = ({ offset, length }: Node): number => offset + length;
const sliceOf = (text: string, node: Node): string => text.slice(node.offset, endOf(node));

const replace = (text: string, node: Node, source: string): TextEdit => ({
  from: node.offset,
  to: endOf(node),
  insert: indentRest(relaid(text, source), indentAt(text, node.offset), newlineOf(text)),
});

/** A text in one line stays in one, and a text in several lines keeps its indentation. */
function relaid(text: string, source: string): string {
  if (!text.trim().includes('\n')) return inOneLine(source, text.includes('": ') ? ' ' : '');
  const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return unit === '  ' ? source : source.replaceAll(/(?<=\n) +/g, (spaces) => unit.repeat(spaces.length / 2));
}

const inOneLine = (source: string, space: string): string =>
  space === '' ? JSON.stringify(JSON.parse(source)) : source.replaceAll(/\n\s*/g, space);

function insert(text: string, object: Node, name: string, source: string): TextEdit {
  const last = object.children?.at(-1);
  if (!last)
    return replace(text, object, `{\n  ${JSON.stringify(name)}: ${indentRest(source, '  ', '\n')}\n}`);
  const [key, value] = last.children ?? [];
  const colon = key && value ? text.slice(endOf(key), value.offset).replace(/\s*\n\s*/, ' ') : ': ';
  const before = /\s*$/.exec(text.slice(0, last.offset))?.[0] ?? '';
  const space = before.includes('\n') ? before : colon.replace(':', '').slice(0, 1);
  const laid = before.includes('\n')
    ? indentRest(relaid(text, source), before.slice(before.lastIndexOf('\n') + 1), newlineOf(text))
    : inOneLine(source, space);
  const at = endOf(last);
  return { from: at, to: at, insert: `,${space}${JSON.stringify(name)}${colon}${laid}` };
}

/** With the comma that separates it from the member before it, or from the one after it. */
function remove(property: Node): TextEdit {
  const siblings = property.parent?.children ?? [];
  const at = siblings.indexOf(property);
  const before = siblings[at - 1];
  const after = siblings[at + 1];
  if (before) return { from: endOf(before), to: endOf(property), insert: '' };
  if (after) return { from: property.offset, to: after.offset, insert: '' };
  const object = property.parent;
  return object
    ? { from: object.offset, to: endOf(object), insert: '{}' }
    : { from: property.offset, to: endOf(property), insert: '' };
}
