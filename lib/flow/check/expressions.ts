// Mistakes inside `{{ }}`: what does not parse, what is not available, and names that stand for nothing.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { truncate } from '#lib/truncate.ts';
import { typeNamed } from '../definition/node-types.ts';
import { parseExpression } from '../expression/language.ts';
import { parseBarePath } from '../expression/path.ts';
import { isList, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { someNames } from '../format/some-names.ts';
import { hasTemplate, parseSegments } from '../format/template-segments.ts';
import type { Members } from '../nodes/node-type.ts';
import { type CheckBudget, CheckEnded, isFull, spendCheckBudget } from './check-budget.ts';
import { reachableFrom } from './graph.ts';
import type { Mistake, Path, Warning } from './mistake.ts';
import type { ReadBlock, ReadNode } from './read-nodes.ts';

export interface Found {
  readonly errors: Mistake[];
  /** Errors beyond those listed. */
  unlisted: number;
  readonly warnings: Warning[];
}

type Nodes = ReadonlyMap<string, ReadNode>;

export interface Look {
  readonly nodes: Nodes;
  /** Whether the nodes of that scope have an output here. */
  readonly isVisible: (id: string, within: ReadBlock) => boolean;
  /** What a path may begin with. */
  readonly names: readonly string[];
  readonly members: Members;
  /** Whether a way leads from that node of this scope or one around it to here; a node's own value is there for its `assign`. */
  readonly isBefore: (id: string, within: ReadBlock) => boolean;
  readonly stateNames: ReadonlySet<string>;
  readonly found: Found;
  /** Expressions seen so far in the whole flow. */
  readonly seen: { count: number };
  readonly work: CheckBudget;
}

export function expressionMistakes(nodes: Nodes, head: JsonObject, work: CheckBudget): Found {
  const found: Found = { errors: [], unlisted: 0, warnings: [] };
  const stateNames = assignedNames(nodes, head.state);
  const seen = { count: 0 };
  const reach = reachOf(work);
  countWithin(found, () => {
    for (const [id, { raw, path, block }] of nodes) {
      if (!isObject(raw)) continue;
      const isBefore = (other: string, within: ReadBlock) =>
        reach(other, within).has(ancestor(id, block, within));
      const names = namesIn(block);
      const isVisible = (other: string, within: ReadBlock) =>
        isAround(within, block) || hasTwin(other, block);
      const look: Look = { nodes, isVisible, names, members, isBefore, stateNames, found, seen, work };
      for (const field of typeNamed(raw.type)?.templates ?? [])
        lookInside(raw[field] ?? null, [...path, field], look);
      for (const place of typeNamed(raw.type)?.templatesInside?.(raw) ?? []) {
        const inside = { names: [...names, ...place.names], members: { ...members, ...place.members } };
        lookInside(place.value, [...path, ...place.path], { ...look, ...inside });
      }
      const assigning = raw.type === 'ask' ? { ...look, names: [...names, 'answer'] } : look;
      lookInside(raw.assign ?? null, [...path, 'assign'], assigning);
      for (const [index, catcher] of (isList(raw.catch) ? raw.catch : []).entries()) {
        if (isObject(catcher)) lookInside(catcher.assign ?? null, [...path, 'catch', index, 'assign'], look);
      }
    }
  });
  return found;
}

/** Once the list is full, errors are only counted, as far as the budget of the check allows. */
export function countWithin(found: Found, look: () => void): void {
  try {
    look();
  } catch (error) {
    if (!(error instanceof CheckEnded && isFull(found.errors))) throw error;
  }
}

export function addError(found: Found, mistake: Mistake): void {
  if (isFull(found.errors)) found.unlisted += 1;
  else found.errors.push(mistake);
}

/** What each node leads to, found once. */
function reachOf(work: CheckBudget) {
  const known = new Map<string, Set<string>>();
  return (id: string, { nodes }: ReadBlock): Set<string> => {
    const after =
      known.get(id) ?? reachableFrom(id, nodes, (ways) => spendCheckBudget(work, ways * wayUnits));
    known.set(id, after);
    return after;
  };
}

/** To follow a way from a node to another. */
const wayUnits = 8;

/** The node itself or, seen from a scope around its own, the node that it is inside of. */
function ancestor(id: string, block: ReadBlock, within: ReadBlock): string {
  return block === within || !block.host ? id : ancestor(block.host.id, block.host.block, within);
}

const namesIn = (block: ReadBlock): readonly string[] =>
  block.host ? [...namesIn(block.host.block), ...block.names] : scopeNames;

const isAround = (other: ReadBlock, from: ReadBlock): boolean =>
  other === from || (from.host !== undefined && isAround(other, from.host.block));

/** Whether a node of that id stands in this scope or one around it, though another scope has the id. */
const hasTwin = (id: string, { twins, host }: ReadBlock): boolean =>
  twins.has(id) || (host !== undefined && hasTwin(id, host.block));

export function assignedNames(nodes: Nodes, state: Json | undefined): Set<string> {
  const names = new Set(isObject(state) ? Object.keys(state) : []);
  for (const { raw } of nodes.values()) {
    if (!isObject(raw)) continue;
    for (const name of typeNamed(raw.type)?.sets?.(raw) ?? []) names.add(name);
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

/** For a text with expressions, once the list of errors is full: 10 µs. */
const countedTextUnits = 400;

function lookAtText(text: string, path: Path, look: Look): void {
  if (!hasTemplate(text)) return;
  const pointer = pointerTo(path);
  look.work.at = path;
  if (isFull(look.found.errors)) spendCheckBudget(look.work, countedTextUnits);
  try {
    for (const part of parseSegments(text))
      if ('expression' in part) lookAtExpression(part.expression, pointer, look);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    addError(look.found, { pointer, detail: error.message });
  }
}

export function lookAtExpression(source: string, pointer: string, look: Look): void {
  look.seen.count++;
  if (look.seen.count === limits.expressionsMax + 1) {
    addError(look.found, {
      pointer,
      detail: `expected at most ${limits.expressionsMax} expressions in a flow`,
    });
  }
  if (look.seen.count > limits.expressionsMax) return;
  try {
    const bare = source.length <= limits.expressionCharsMax ? parseBarePath(source) : undefined;
    const spend = (units: number) => spendCheckBudget(look.work, units);
    const { paths, unknown } = bare ? { paths: [bare], unknown: [] } : parseExpression(source, spend);
    for (const path of paths) lookAtPath(path, pointer, look);
    for (const name of unknown) {
      const detail = `{{ ${truncate(source, 80)} }}: unknown name "$${name}": expected a function of JSONata, or a variable of the expression`;
      addError(look.found, { pointer, detail });
    }
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const why = error.message;
    addError(look.found, { pointer, detail: `{{ ${truncate(source, 80)} }}: ${why}` });
  }
}

const scopeNames = ['input', 'state', 'env', 'nodes', 'run'];
export const members: Members = {
  input: ['message', 'user_variables', 'event', 'a2a'],
  run: ['id', 'started_at', 'turn'],
};

function lookAtPath([root = '', name]: readonly string[], pointer: string, look: Look): void {
  const { warnings } = look.found;
  if (!look.names.includes(root)) {
    addError(look.found, {
      pointer,
      detail: `unknown name "${root}": expected ${[...new Set(look.names)].join(', ')}`,
    });
  }
  if (name === undefined) return;
  const known = Object.hasOwn(look.members, root) ? look.members[root] : undefined;
  if (known && !known.includes(name)) {
    const expected = someNames(known.map((one) => `${root}.${one}`)) || 'none, because none is declared';
    addError(look.found, { pointer, detail: `unknown name "${root}.${name}": expected ${expected}` });
  }
  if (root === 'nodes') lookAtNode(name, pointer, look);
  if (root === 'state' && !look.stateNames.has(name)) {
    warnings.push({
      pointer,
      code: 'state_without_value',
      detail: `state.${name} never has a value: expected it in \`state\` or in an \`assign\``,
    });
  }
}

function lookAtNode(name: string, pointer: string, { nodes, isVisible, isBefore, found }: Look): void {
  const other = nodes.get(name)?.block;
  if (!other) {
    addError(found, {
      pointer,
      detail: `unknown node "${name}" in nodes.${name}: expected the id of a node`,
    });
  } else if (!isVisible(name, other)) {
    addError(found, {
      pointer,
      detail: `nodes.${name} is not visible here: expected a node of this scope or of one around it`,
    });
  } else if (!isBefore(name, other)) {
    found.warnings.push({
      pointer,
      code: 'node_without_value',
      detail: `nodes.${name} has no value here: no way leads from "${name}" to this node`,
    });
  }
}
