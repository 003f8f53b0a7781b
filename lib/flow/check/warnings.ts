// Collects the warnings about a flow without mistakes.
import type { JsonObject } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import type { Flow } from '../definition/flow.ts';
import { mayPause } from '../definition/may-pause.ts';
import { isList, isObject } from '../format/json-value.ts';
import { findCaseWarnings } from './cases.ts';
import { findChoiceWarnings } from './choices.ts';
import { findPatternWarnings } from './error-patterns.ts';
import { findLoopWarnings } from './loops.ts';
import type { Warning } from './mistake.ts';
import type { ReadNode, ReadNodes } from './read-nodes.ts';
import { findSecretWarnings } from './secrets.ts';
import { findUnusedWarnings } from './unused.ts';

export const findWarnings = (flow: Flow, { nodes, blocks }: ReadNodes): readonly Warning[] => [
  ...findObjectSchemaWarnings(flow),
  ...findLoopWarnings(blocks),
  ...findCaseWarnings(nodes),
  ...findPatternWarnings(nodes),
  ...findChoiceWarnings(nodes),
  ...findUnusedWarnings(flow, nodes),
  ...findSecretWarnings(nodes),
  ...findPauseWarnings(nodes),
];

/** `user_variables` and the response are objects in every run, so no schema of them may refuse every object. */
const findObjectSchemaWarnings = ({ input, output }: Flow): readonly Warning[] => [
  ...checkSchema('input', input, '`user_variables`, which it describes, is an object in every run'),
  ...checkSchema('output', output, 'the response, which it describes, is an object in every run'),
];

function checkSchema(field: 'input' | 'output', schema: JsonObject | undefined, why: string): Warning[] {
  const keyword = schema && (['type', 'const', 'enum'] as const).find((name) => refusesObjects[name](schema));
  if (!keyword) return [];
  const detail = `this refuses every run: ${why}`;
  return [{ pointer: pointerTo([field, keyword]), code: 'schema_never_fits', detail }];
}

const refusesObjects = {
  type: ({ type }: JsonObject) => type !== undefined && !(isList(type) ? type : [type]).includes('object'),
  const: (schema: JsonObject) => Object.hasOwn(schema, 'const') && !isObject(schema.const),
  enum: (schema: JsonObject) => isList(schema.enum) && !schema.enum.some(isObject),
};

const mayPauseDetail =
  'a run may pause here for an answer or until a time: the synchronous trigger then responds with `input_required` or `pending`, and the result comes later. Start it in the background or over A2A to follow it';

/** The flow does not say which trigger starts it, so the warning is given in any case. */
const findPauseWarnings = (nodes: ReadonlyMap<string, ReadNode>): readonly Warning[] =>
  [...nodes.values()].flatMap(({ node, path }) =>
    node && mayPause(node) ? [{ pointer: pointerTo(path), code: 'may_pause', detail: mayPauseDetail }] : [],
  );
