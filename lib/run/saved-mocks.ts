// What a run got from outside its flow, as mocks, answers and events of a test.
import { isList, isObject } from '#lib/flow/format/json-value.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { truncate } from '#lib/truncate.ts';
import type { KeptExecution } from './kept-execution.ts';
import { countAttempts, type Nodes, needsMock } from './saved-flow.ts';
import { findHosts, isInside, itemOf, readScope } from './saved-scopes.ts';
import type { NodeVisit } from './visited-path.ts';

export interface RecordedRun {
  readonly nodes: Nodes;
  /** One for each execution, in the order of their ends. */
  readonly records: readonly KeptExecution[];
  readonly visits: readonly NodeVisit[];
}

export interface SavedMocks {
  readonly parts: {
    readonly mocks: Record<string, Json>;
    readonly answers?: Json[];
    readonly events?: JsonObject[];
  };
  /** The nodes that a test comes by outside of other nodes, in order. */
  readonly path: readonly string[];
  /** What models have written. */
  readonly modelTexts: readonly string[];
}

/** `lacking` has no value that was kept; `problem` says why no test would repeat the run. */
export type NotSaved = { readonly lacking: KeptExecution | string } | { readonly problem: string };

export function saveMocks({ nodes, records, visits }: RecordedRun): SavedMocks | NotSaved {
  const hosts = findHosts(nodes, visits);
  const isSeen = ({ scope }: Pick<NodeVisit, 'scope'>) => !isInside(scope, nodes, hosts);
  const mocked = new Map<string, KeptExecution[]>();
  const answers: Json[] = [];
  const events: JsonObject[] = [];
  const byKey = new Map(records.map((record) => [record.execution, record]));
  const unsent = new Set<Json | undefined>();
  let isUnanswered = false;
  for (const visit of inOrderOfRecords(visits.filter(isSeen), byKey)) {
    const node = nodes.get(visit.node_id);
    if (!node) return { problem: `its flow has no node "${visit.node_id}"` };
    const use = findUse(node, visit, hosts);
    if (use === 'none') continue;
    const key = keyOf(visit);
    const record = byKey.get(key);
    if (!record || record.status === 'paused') return { lacking: key };
    if (record.left_out?.includes('output')) return { lacking: record };
    const isTimeout =
      (record.output === null && node.on_timeout !== undefined) || isTimeoutError(record.error?.code);
    if (use === 'event' && (isTimeout || !record.error)) {
      // What is sent in a test goes to the first wait for it.
      if (isTimeout) unsent.add(node.event);
      else if (unsent.has(node.event))
        return { problem: `the event of "${visit.node_id}" was not sent in time before` };
      else events.push(toEvent(record.output));
    } else if (use === 'answer' && (isTimeout || !record.error)) {
      // A question that nobody has answered times out in a test once there are no answers left.
      if (isTimeout) isUnanswered = true;
      else if (isUnanswered)
        return { problem: `nobody answered a question before that of "${visit.node_id}"` };
      else answers.push(record.output ?? null);
    } else {
      if (isTimeout && !record.error)
        return { problem: `"${visit.node_id}" inside another node got no answer in time` };
      if (isMarked(record))
        return { problem: `the output of "${visit.node_id}" has the form of an error or a series` };
      mocked.set(visit.node_id, [...(mocked.get(visit.node_id) ?? []), record]);
    }
  }
  const mocks = Object.fromEntries([...mocked].map(([id, some]) => [id, toMock(some, nodes, id)]));
  return {
    parts: { mocks, ...(answers.length > 0 && { answers }), ...(events.length > 0 && { events }) },
    path: visits.filter(({ scope }) => scope === undefined).map(({ node_id }) => node_id),
    modelTexts: [...mocked.values()]
      .flat()
      .filter(isOfModel)
      .flatMap(({ output }) => textsIn(output ?? null)),
  };
}

const keyOf = ({ scope, node_id, visit }: NodeVisit) =>
  `${scope === undefined ? '' : `${scope}.`}${node_id}.${visit}`;

/** Outcomes in a series are distinguished by their order: that in which the executions have ended. */
function inOrderOfRecords(
  visits: readonly NodeVisit[],
  records: ReadonlyMap<string, KeptExecution>,
): readonly NodeVisit[] {
  const places = new Map([...records.keys()].map((key, place) => [key, place]));
  const placeOf = (visit: NodeVisit) => places.get(keyOf(visit)) ?? -1;
  return visits.toSorted((a, b) => placeOf(a) - placeOf(b));
}

const isTimeoutError = (code: string | undefined) => code === 'wait.timeout' || code === 'ask.timeout';

type Use = 'none' | 'mock' | 'answer' | 'event';

function findUse(node: JsonObject, { node_id, scope }: NodeVisit, hosts: ReadonlySet<string>): Use {
  if (hosts.has(node_id) || needsMock(node)) return 'mock';
  if (node.type === 'ask') return scope === undefined ? 'answer' : 'mock';
  return node.type === 'wait' && node.event !== undefined ? 'event' : 'none';
}

const isOfModel = ({ node_type }: KeptExecution) => node_type === 'llm' || node_type === 'agent';

const isMarked = ({ output }: KeptExecution): boolean =>
  isObject(output) &&
  Object.keys(output).length === 1 &&
  ['error', 'in_order', 'by_item'].some((mark) => Object.hasOwn(output, mark));

function toEvent(output: Json | undefined): JsonObject {
  const { event = '', key, data = {} } = isObject(output) ? output : {};
  return { event, ...((typeof key === 'string' || typeof key === 'number') && { key }), data };
}

/** By item where the node is inside a `map`; then, and otherwise, in the order of executions. */
function toMock(records: readonly KeptExecution[], nodes: Nodes, id: string): Json {
  const node = nodes.get(id) ?? {};
  const byItem = Map.groupBy(records, ({ scope }) => itemOf(readScope(scope), nodes));
  const outside = byItem.get(undefined);
  if (outside) return toSeries(outside, node);
  const items = new Map([...byItem].map(([item, some]) => [item, toSeries(some, node)]));
  const [any = null] = items.values();
  const count = Math.max(...[...items.keys()].map((item) => item ?? 0)) + 1;
  // An item that did not come by the node needs a place in the list, which no test reads.
  const by_item = Array.from({ length: count }, (_, item) => items.get(item) ?? any);
  return by_item.every((outcome) => isSame(outcome, any)) ? any : { by_item };
}

function toSeries(records: readonly KeptExecution[], node: JsonObject): Json {
  const outcomes = records.flatMap((record) => {
    const { error } = record;
    const times = error && !isRepeated(records) ? countAttempts(node, error.code) : 1;
    return Array.from({ length: times }, () => toOutcome(record));
  });
  const [first = null] = outcomes;
  return outcomes.every((outcome) => isSame(outcome, first)) ? first : { in_order: outcomes };
}

/** A single mock gives the same each time, whatever number of attempts. */
const isRepeated = ([first, ...others]: readonly KeptExecution[]): boolean =>
  first !== undefined && others.every((other) => isSame(toOutcome(first), toOutcome(other)));

function toOutcome({ output, error }: KeptExecution): Json {
  if (!error) return output ?? null;
  const { code, message, response } = error;
  return { error: { code, message: truncate(message, 1_000), ...(response && { response }) } };
}

const isSame = (a: Json, b: Json): boolean => JSON.stringify(a) === JSON.stringify(b);

/** More than one word. */
const isText = (text: string): boolean => /\S\s+\S/.test(text);

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return isText(value) ? [value] : [];
  if (isList(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
