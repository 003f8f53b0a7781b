// Checks the `merge` of a `parallel` or a `map`: its scopes have to set each variable, and the value with which the
// variable begins has to fit the rule.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { addMistake } from '#lib/mistakes.ts';
import { findNodeChecks } from '../definition/node-types.ts';
import { isObject } from '../format/json-value.ts';
import { someNames, suggesting } from '../format/some-names.ts';
import { describeKind, isMergeRule, rules } from '../nodes/merge-state.ts';
import { findAssignments } from './assignments.ts';
import { type CheckState, findNearName, isFull } from './check-budget.ts';
import type { Path } from './mistake.ts';
import type { ReadNodes } from './read-nodes.ts';

export function checkMerges({ nodes, blocks }: ReadNodes, state: Json | undefined, check: CheckState): void {
  const initial = isObject(state) ? state : {};
  const inside = findNamesInside({ nodes, blocks });
  for (const [id, { raw, path }] of nodes) {
    const set = inside.get(id);
    if (!isObject(raw) || !isObject(raw.merge) || !set) continue;
    for (const [name, rule] of Object.entries(raw.merge)) {
      const at = [...path, 'merge', name];
      if (!set.has(name)) addMistake(check.mistakes, at, describeUnset(name, set, check));
      else checkInitial(name, rule, { initial, at, check });
    }
  }
}

/** The variables that the nodes of the scopes of each node set, by the id of the node. */
function findNamesInside({ nodes, blocks }: ReadNodes): ReadonlyMap<string, Set<string>> {
  const inside = new Map<string, Set<string>>();
  for (const { host } of blocks) if (host) inside.set(host.id, new Set());
  for (const read of nodes.values()) {
    const set = read.block.host && inside.get(read.block.host.id);
    if (!set || !isObject(read.raw)) continue;
    for (const { name } of findAssignments(read)) set.add(name);
    for (const name of findNodeChecks(read.raw.type)?.sets?.(read.raw) ?? []) set.add(name);
  }
  return inside;
}

function describeUnset(name: string, set: ReadonlySet<string>, check: CheckState): string {
  if (isFull(check.mistakes)) return '';
  const near = findNearName(check, name, set);
  const expected = `expected ${someNames([...set]) || 'a variable, but no node inside sets one'}`;
  return `no node inside sets state.${name}: ${suggesting(near, expected)}`;
}

interface Initial {
  readonly initial: JsonObject;
  readonly at: Path;
  readonly check: CheckState;
}

/** A variable that begins with null has no value yet. */
function checkInitial(name: string, rule: Json, { initial, at, check }: Initial): void {
  const value = (Object.hasOwn(initial, name) ? initial[name] : undefined) ?? null;
  if (value === null || !isMergeRule(rule)) return;
  const { begins } = rules[rule];
  if (begins && !begins.test(value))
    addMistake(
      check.mistakes,
      at,
      `"${rule}" needs ${begins.what}, but state.${name} begins with ${describeKind(value)}`,
    );
}
