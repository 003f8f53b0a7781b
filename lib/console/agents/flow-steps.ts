// The nodes of a flow in the order in which people read them, with what each consists of and where it leads. They are
// read from the document by what all types of node have in common, without the engine, which browsers need not load.
import { listAgentParts } from '#lib/drawing/agent-parts.ts';
import { readingOrder } from '#lib/drawing/reading-order.ts';
import type { FlowNode } from '#lib/flow/definition/node-types.ts';
import { isObject } from '#lib/flow/format/json-value.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';

export interface Step {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly parts: readonly string[];
  readonly edges: readonly StepEdge[];
  readonly inside: readonly { readonly name: string; readonly steps: readonly Step[] }[];
}

export interface StepEdge {
  readonly from: string;
  readonly to: string;
  /** The member that names the next node, such as `next`, `default` or `on_timeout`. */
  readonly member: string;
  /** The condition of a case, or the errors that are caught. */
  readonly when: string;
}

/** A flow, or a block inside a node: it has been checked when it was registered. */
export function listSteps({ start, nodes }: JsonObject): readonly Step[] {
  if (typeof start !== 'string' || !isObject(nodes)) return [];
  const ids = new Set(Object.keys(nodes));
  const steps = Object.entries(nodes).flatMap(([id, node]) =>
    isObject(node) ? [readStep(id, node, ids)] : [],
  );
  const known = new Map(steps.map((step) => [step.id, step]));
  const edges = steps.flatMap((step) => step.edges);
  return readingOrder({ start, nodes: steps, edges }).ids.flatMap((id) => known.get(id) ?? []);
}

/** The cast holds, because the flow was checked when it was registered. */
const readStep = (id: string, node: JsonObject, ids: ReadonlySet<string>): Step => ({
  id,
  type: String(node.type),
  title: typeof node.title === 'string' ? node.title : id,
  parts: listAgentParts(node as unknown as FlowNode),
  edges: Object.entries(node)
    .flatMap(([member, value]) => readEdges(id, member, value, ids))
    .toSorted((a, b) => Number(isException(a)) - Number(isException(b))),
  inside: Object.entries(node).flatMap(([name, value]) => listBlocks(name, value)),
});

/** Where a node leads in its regular course comes first. */
const isException = ({ member }: StepEdge) => member === 'catch' || member.startsWith('on_');

const isTarget = (member: string) => member === 'next' || member === 'default' || member.startsWith('on_');

/** Of a member of a node, such as `next`, or of the items of a list, such as `cases` and `catch`. */
function readEdges(from: string, member: string, value: Json, ids: ReadonlySet<string>): readonly StepEdge[] {
  if (typeof value === 'string')
    return isTarget(member) && ids.has(value) ? [{ from, to: value, member, when: '' }] : [];
  if (!Array.isArray(value)) return [];
  return value.flatMap((item) => {
    if (!isObject(item) || typeof item.next !== 'string' || !ids.has(item.next)) return [];
    return [{ from, to: item.next, member, when: describeCondition(item) }];
  });
}

const describeCondition = ({ when, on }: JsonObject): string =>
  typeof when === 'string' ? when.replace(/^\{\{\s*|\s*\}\}$/g, '') : Array.isArray(on) ? on.join(', ') : '';

/** Graphs inside a node: a member has one, or several by name. */
function listBlocks(name: string, value: Json): Step['inside'] {
  if (!isObject(value)) return [];
  if (typeof value.start === 'string' && isObject(value.nodes)) return [{ name, steps: listSteps(value) }];
  return Object.entries(value).flatMap(([each, inner]) =>
    isObject(inner) && typeof inner.start === 'string' ? listBlocks(each, inner) : [],
  );
}
