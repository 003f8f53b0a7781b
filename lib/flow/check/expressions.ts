// Mistakes inside `{{ }}`: what does not parse, what is not available, and names that stand for nothing.
import type { Json, JsonObject } from '#lib/json.ts';
import { parseExpression } from '../expression/language.ts';
import { barePathOf } from '../expression/path.ts';
import { segmentsOf } from '../expression/segments.ts';
import { isList, isObject } from '../json-value.ts';
import { limits } from '../limits.ts';
import { typeNamed } from '../nodes/index.ts';
import { type ReadNode, reachableFrom } from './graph.ts';
import { type Mistake, pointerOf } from './mistake.ts';

interface Found {
  readonly errors: Mistake[];
  readonly warnings: Mistake[];
}

type Nodes = ReadonlyMap<string, ReadNode>;
type Path = readonly (string | number)[];

interface Look {
  readonly nodes: Nodes;
  /** Whether a way leads from that node to the expression's own; a node's own value is there for its `assign`. */
  readonly isBefore: (id: string) => boolean;
  readonly stateNames: ReadonlySet<string>;
  readonly found: Found;
  /** Expressions seen so far in the whole flow. */
  readonly seen: { count: number };
}

export function expressionMistakes(nodes: Nodes, head: JsonObject): Found {
  const found: Found = { errors: [], warnings: [] };
  const stateNames = assignedNames(nodes, head.state);
  const seen = { count: 0 };
  const reach = new Map<string, Set<string>>();
  for (const [id, { raw }] of nodes) {
    if (!isObject(raw)) continue;
    const isBefore = (other: string) => {
      const after = reach.get(other) ?? reachableFrom(other, nodes);
      reach.set(other, after);
      return after.has(id);
    };
    const look: Look = { nodes, isBefore, stateNames, found, seen };
    for (const field of templateFields(raw)) lookInside(raw[field] ?? null, ['nodes', id, field], look);
    for (const [index, catcher] of (isList(raw.catch) ? raw.catch : []).entries()) {
      if (isObject(catcher))
        lookInside(catcher.assign ?? null, ['nodes', id, 'catch', index, 'assign'], look);
    }
  }
  return found;
}

function templateFields(raw: JsonObject): readonly string[] {
  const type = typeNamed(raw.type);
  return type ? [...type.templates, 'assign'] : [];
}

function assignedNames(nodes: Nodes, state: Json | undefined): Set<string> {
  const names = new Set(isObject(state) ? Object.keys(state) : []);
  for (const { raw } of nodes.values()) {
    if (!isObject(raw)) continue;
    for (const part of [raw, ...(isList(raw.catch) ? raw.catch : [])]) {
      if (isObject(part) && isObject(part.assign))
        for (const name of Object.keys(part.assign)) names.add(name);
    }
  }
  return names;
}

function lookInside(value: Json, path: Path, look: Look): void {
  if (typeof value === 'string') lookAtText(value, path, look);
  else if (isList(value))
    for (const [index, item] of value.entries()) lookInside(item, [...path, index], look);
  else if (isObject(value))
    for (const [key, item] of Object.entries(value)) lookInside(item, [...path, key], look);
}

function lookAtText(text: string, path: Path, look: Look): void {
  const pointer = pointerOf(path);
  try {
    for (const part of segmentsOf(text))
      if ('expression' in part) lookAtExpression(part.expression, pointer, look);
  } catch (error) {
    look.found.errors.push({
      pointer,
      detail: error instanceof Error ? error.message : 'expected a template',
    });
  }
}

function lookAtExpression(source: string, pointer: string, look: Look): void {
  look.seen.count++;
  if (look.seen.count === limits.expressionsMax + 1) {
    look.found.errors.push({
      pointer,
      detail: `expected at most ${limits.expressionsMax} expressions in a flow`,
    });
  }
  if (look.seen.count > limits.expressionsMax) return;
  try {
    const bare = barePathOf(source);
    const { paths } = bare ? { paths: [bare] } : parseExpression(source);
    for (const path of paths) lookAtPath(path, pointer, bare !== undefined, look);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'expected an expression';
    look.found.errors.push({ pointer, detail: `{{ ${source.slice(0, 80)} }}: ${why}` });
  }
}

const scopeNames = ['input', 'state', 'env', 'nodes', 'run'];
const closedNames: Readonly<Record<string, readonly string[]>> = {
  input: ['message', 'user_variables', 'event', 'a2a'],
  run: ['id', 'started_at', 'turn'],
};

/** Inside the language a name may belong to an element of a list; only a bare path surely begins at the scope. */
function lookAtPath(
  [root = '', name]: readonly string[],
  pointer: string,
  isBare: boolean,
  look: Look,
): void {
  const { errors, warnings } = look.found;
  if (isBare && !scopeNames.includes(root)) {
    errors.push({ pointer, detail: `unknown name "${root}": expected ${scopeNames.join(', ')}` });
  }
  if (name === undefined) return;
  const closed = isBare && Object.hasOwn(closedNames, root) ? closedNames[root] : undefined;
  if (closed && !closed.includes(name)) {
    errors.push({
      pointer,
      detail: `unknown name "${root}.${name}": expected ${closed.map((one) => `${root}.${one}`).join(', ')}`,
    });
  }
  if (root === 'nodes' && !look.nodes.has(name)) {
    errors.push({ pointer, detail: `unknown node "${name}" in nodes.${name}: expected the id of a node` });
  } else if (root === 'nodes' && !look.isBefore(name)) {
    warnings.push({
      pointer,
      detail: `nodes.${name} has no value here: no way leads from "${name}" to this node`,
    });
  }
  if (isBare && root === 'state' && !look.stateNames.has(name)) {
    warnings.push({
      pointer,
      detail: `state.${name} never has a value: expected it in \`state\` or in an \`assign\``,
    });
  }
}
