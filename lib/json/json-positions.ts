// Finds mistakes of syntax and the positions of values in a text of JSON that a person writes.
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { type Locate, type Position, positionAt } from './position.ts';

export interface JsonMistake {
  readonly position: Position;
  /** Such as `property name expected`. */
  readonly reason: string;
}

/** The first one; undefined for text that is JSON. */
export function findJsonMistake(text: string): JsonMistake | undefined {
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true });
  const [first] = errors;
  return first && explainJsonMistake(text, first);
}

export const explainJsonMistake = (text: string, { error, offset }: ParseError): JsonMistake => ({
  position: positionAt(text, offset),
  reason: describeCode(printParseErrorCode(error)),
});

/** `PropertyNameExpected` becomes `property name expected`. */
const describeCode = (code: string): string => code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();

export const createJsonLocate =
  (text: string, root: Node | undefined = parseTree(text)): Locate =>
  (path) => {
    let node = root;
    let found = root?.offset;
    for (const step of path) {
      const children = node?.children ?? [];
      const [name, value] =
        node?.type === 'array'
          ? [children[Number(step)], children[Number(step)]]
          : (children.flatMap(listJsonMembers).find(([name]) => name.value === step) ?? []);
      if (!name) break;
      [found, node] = [name.offset, value];
    }
    return found === undefined ? undefined : positionAt(text, found);
  };

/** A property is a node with its name and its value. */
export const listJsonMembers = ({ children: [name, value] = [] }: Node): [Node, Node][] =>
  name && value ? [[name, value]] : [];
