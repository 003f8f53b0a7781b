// Warns about choices of an `ask` that its schema refuses, so that nobody can answer with them.
import type { JsonObject } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { linearPattern } from '../expression/regex.ts';
import { isList } from '../format/json-value.ts';
import { NodeError } from '../format/node-error.ts';
import { hasTemplate } from '../format/template-segments.ts';
import { findFaultsIn, patternTest, sentence } from '../schema/validate.ts';
import type { Warning } from './mistake.ts';
import type { ReadNode } from './read-nodes.ts';

/** Step budget for all questions of a flow, because the author waits while the flow is registered. */
const unitsMax = 500_000;

export function findChoiceWarnings(nodes: ReadonlyMap<string, ReadNode>): readonly Warning[] {
  const findFault = createFaultSearch();
  return [...nodes.values()].flatMap(({ node, path }) => {
    if (node?.type !== 'ask' || !node.schema || !isList(node.choices)) return [];
    const { schema } = node;
    return node.choices.flatMap((choice, index): Warning[] => {
      const fault = hasTemplate(choice) ? undefined : findFault(schema, choice);
      if (fault === undefined) return [];
      const detail = `\`schema\` refuses this answer: ${fault}`;
      return [{ pointer: pointerTo([...path, 'choices', index]), code: 'choice_never_fits', detail }];
    });
  });
}

/** Finds nothing once the budget is used up. */
function createFaultSearch(): (schema: JsonObject, choice: string) => string | undefined {
  const pattern = patternTest(linearPattern);
  const budget = { left: unitsMax };
  return (schema, choice) => {
    try {
      return findFaultsIn(schema, choice, pattern, budget).map(sentence)[0];
    } catch (error) {
      if (error instanceof NodeError) return undefined;
      throw error;
    }
  };
}
