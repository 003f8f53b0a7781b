// Where in the text of a flow a position is. It is read from the tree of the parser, which also has one for text with
// mistakes, as every text is while somebody types.
import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import type { SyntaxNode } from '@lezer/common';
import type { Step } from './schema-keys.ts';

export interface Place {
  readonly kind: 'key' | 'value';
  /** Of the object in which the name is, or of the value. */
  readonly path: readonly Step[];
  /** The `type` of the object in which the name is. */
  readonly type: string | undefined;
  /** What is replaced. */
  readonly from: number;
  readonly to: number;
  /** Names that the object has already. */
  readonly names: readonly string[];
  /** The ids of the nodes of the blocks around it, the innermost block first. */
  readonly blocks: readonly (readonly string[])[];
  /** The ids of `nodes` beside the value, for `start`. */
  readonly besideNodes: readonly string[];
}

export function findPlace(state: EditorState, at: number): Place | undefined {
  const node = syntaxTree(state).resolveInner(at, -1);
  const read = new Reader(state);
  const token = { from: node.from, to: node.to };
  if (node.name === 'PropertyName') return read.placeOfKey(node.parent?.parent, token);
  if (node.name === 'String') return read.placeOfValue(node, token);
  const word = state.sliceDoc(Math.max(0, at - 64), at).match(/\w*$/)?.[0].length ?? 0;
  const container = node.name === 'Object' ? node : node.type.isError ? node.parent : undefined;
  return container?.name === 'Object' ? read.placeOfKey(container, { from: at - word, to: at }) : undefined;
}

/** The names of an object that is a member of the flow, such as those of `state`. */
export function listMembersOf(state: EditorState, path: readonly string[]): readonly string[] {
  const read = new Reader(state);
  let object: SyntaxNode | null | undefined = syntaxTree(state).topNode.getChild('Object');
  for (const name of path) object = object && read.member(object, name);
  return object?.name === 'Object' ? read.names(object) : [];
}

type Range = Pick<Place, 'from' | 'to'>;

class Reader {
  readonly #state: EditorState;

  constructor(state: EditorState) {
    this.#state = state;
  }

  placeOfKey(object: SyntaxNode | null | undefined, range: Range): Place | undefined {
    if (object?.name !== 'Object') return undefined;
    return {
      ...this.#around(object),
      kind: 'key',
      type: this.#typeOf(object),
      names: this.names(object),
      besideNodes: [],
      ...range,
    };
  }

  placeOfValue(node: SyntaxNode, range: Range): Place {
    const object = node.parent?.parent;
    const nodes = object?.name === 'Object' ? this.member(object, 'nodes') : undefined;
    const besideNodes = nodes?.name === 'Object' ? this.names(nodes) : [];
    return { ...this.#around(node), kind: 'value', type: undefined, names: [], besideNodes, ...range };
  }

  #around(from: SyntaxNode): Pick<Place, 'path' | 'blocks'> {
    const path: Step[] = [];
    const blocks: (readonly string[])[] = [];
    for (let node: SyntaxNode | null = from; node; node = node.parent) {
      const { parent } = node;
      if (parent?.name === 'Property') {
        const name = this.#nameOf(parent);
        path.unshift({ name, type: parent.parent ? this.#typeOf(parent.parent) : undefined });
        if (name === 'nodes' && node.name === 'Object') blocks.push(this.names(node));
      } else if (parent?.name === 'Array') path.unshift({ name: String(indexOf(node)), type: undefined });
    }
    return { path, blocks };
  }

  names(object: SyntaxNode): readonly string[] {
    return object.getChildren('Property').map((each) => this.#nameOf(each));
  }

  member(object: SyntaxNode, name: string): SyntaxNode | null | undefined {
    return object.getChildren('Property').find((each) => this.#nameOf(each) === name)?.lastChild;
  }

  #typeOf(object: SyntaxNode): string | undefined {
    const type = this.member(object, 'type');
    return type?.name === 'String' ? this.#text(type) : undefined;
  }

  #nameOf(property: SyntaxNode): string {
    const name = property.getChild('PropertyName');
    return name ? this.#text(name) : '';
  }

  #text({ from, to }: SyntaxNode): string {
    return this.#state.sliceDoc(from + 1, to - 1);
  }
}

const valueNames = new Set(['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null']);

function indexOf(node: SyntaxNode): number {
  let index = 0;
  for (let before = node.prevSibling; before; before = before.prevSibling)
    if (valueNames.has(before.name)) index += 1;
  return index;
}
