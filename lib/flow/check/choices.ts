// Choices of an `ask` that its schema refuses: nobody can answer with them.
import type { JsonObject } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { linearPattern } from '../expression/regex.ts';
import { isList } from '../format/json-value.ts';
import { NodeError } from '../format/node-error.ts';
import { hasTemplate } from '../format/template-segments.ts';
import { findFaultsIn, patternTest, sentence } from '../schema/validate.ts';
import type { Warning } from './mistake.ts';
import type { ReadNode } from './read-nodes.ts';

/** For all questions of a flow: it is registered while its author waits. */
const workMax = 500_000;

export function choiceWarnings(nodes: ReadonlyMap<string, ReadNode>): readonly Warning[] {
  const faultOf = findsFaults();
  return [...nodes.values()].flatMap(({ node, path }) => {
    if (node?.type !== 'ask' || !node.schema || !isList(node.choices)) return [];
    const { schema } = node;
    return node.choices.flatMap((choice, index): Warning[] => {
      const fault = hasTemplate(choice) ? undefined : faultOf(schema, choice);
      if (fault === undefined) return [];
      const detail = `\`schema\` refuses this answer: ${fault}`;
      return [{ pointer: pointerTo([...path, 'choices', index]), code: 'choice_never_fits', detail }];
    });
  });
}

/** What takes too much work is left to the run that meets it. */
function findsFaults(): (schema: JsonObject, choice: string) => string | undefined {
  const pattern = patternTest(linearPattern);
  const work = { left: workMax };
  return (schema, choice) => {
    try {
      return findFaultsIn(schema, choice, pattern, work).map(sentence)[0];
    } catch (error) {
      if (error instanceof NodeError) return undefined;
      throw error;
    }
  };
}
