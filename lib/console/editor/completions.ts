// What can be completed in the text of a flow: names and values that the published schema has, ids of nodes, codes of
// errors, and the names in expressions.
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { EditorState } from '@codemirror/state';
import { errorFamilies, loneErrors } from '#lib/flow/format/error-codes.ts';
import { listKeys, listValues, type Schema } from './schema-keys.ts';
import { findPlace, listMembersOf, type Place } from './text-place.ts';

export const completeFlow =
  (getSchema: () => Promise<Schema>) =>
  async ({ state, pos, explicit }: CompletionContext): Promise<CompletionResult | null> => {
    const place = findPlace(state, pos);
    if (!place) return null;
    const schema = await getSchema();
    if (place.kind === 'key') {
      if (place.from === pos && !explicit) return null;
      return { ...rangeOf(place), options: completeKeys(state, schema, place), filter: true };
    }
    return completeExpression(state, place, pos) ?? completeValue(schema, place);
  };

const rangeOf = ({ from, to }: Place) => ({ from, to });

function completeKeys(state: EditorState, schema: Schema, { path, type, names, to }: Place): Completion[] {
  const hasColon = /^\s*:/.test(state.sliceDoc(to, to + 20));
  return listKeys(schema, path, type)
    .filter(({ name }) => !names.includes(name))
    .map(({ name, description, isRequired }) => ({
      label: `"${name}"`,
      displayLabel: name,
      apply: `"${name}"${hasColon ? '' : ': '}`,
      type: 'property',
      ...(description !== undefined && { info: description }),
      ...(isRequired && { detail: 'required', boost: 1 }),
    }));
}

/** Fields whose value is the id of a node of the same block. */
const references = new Set(['next', 'start', 'default', 'on_timeout', 'on_max_visits']);

function completeValue(schema: Schema, place: Place): CompletionResult | null {
  const [last, list] = [place.path.at(-1)?.name ?? '', place.path.at(-2)?.name];
  const [block = []] = last === 'start' ? [place.besideNodes] : place.blocks;
  const values = references.has(last)
    ? block
    : list === 'on'
      ? errorCodes
      : listValues(schema, place.path).filter((value) => typeof value === 'string');
  if (values.length === 0) return null;
  return {
    ...rangeOf(place),
    options: values.map((value) => ({ label: `"${value}"`, displayLabel: value, type: 'constant' })),
  };
}

const errorCodes: readonly string[] = [
  ...loneErrors,
  ...Object.entries(errorFamilies).flatMap(([family, names]) => [
    `${family}.*`,
    ...names.map((name) => `${family}.${name}`),
  ]),
];

/** Inside `{{ … }}`: the names of the scope, or what is after `nodes.` and `state.`. */
function completeExpression(
  state: EditorState,
  { from, blocks }: Place,
  at: number,
): CompletionResult | null {
  const written = state.sliceDoc(from, at);
  const expression = /\{\{(?:(?!\}\}).)*$/s.exec(written)?.[0];
  if (expression === undefined) return null;
  const [, scope, name = ''] = /(?:([\w.]+)\.)?(\w*)$/.exec(expression) ?? [];
  const names = scope === undefined ? scopeNames : namesIn(state, scope, blocks.flat());
  if (names.length === 0) return null;
  return { from: at - name.length, options: names.map((label) => ({ label, type: 'variable' })) };
}

const scopeNames = ['nodes', 'state', 'input', 'env'];

function namesIn(state: EditorState, scope: string, nodes: readonly string[]): readonly string[] {
  if (scope === 'nodes') return nodes;
  if (scope === 'state') return listMembersOf(state, ['state']);
  if (scope === 'input') return ['message', 'user_variables', 'files', 'event'];
  if (scope === 'input.user_variables') return listMembersOf(state, ['input', 'properties']);
  return [];
}
