// What is worth a look in a flow without mistakes.
import type { Flow } from '../definition/flow.ts';
import { caseWarnings } from './cases.ts';
import { choiceWarnings } from './choices.ts';
import { patternWarnings } from './error-patterns.ts';
import { loopWarnings } from './loops.ts';
import type { Warning } from './mistake.ts';
import { objectSchemaWarnings } from './object-schemas.ts';
import { pauseWarnings } from './pauses.ts';
import type { ReadNodes } from './read-nodes.ts';
import { unusedWarnings } from './unused.ts';

export const warningsOf = (flow: Flow, { nodes, blocks }: ReadNodes): readonly Warning[] => [
  ...objectSchemaWarnings(flow),
  ...loopWarnings(blocks),
  ...caseWarnings(nodes),
  ...patternWarnings(nodes),
  ...choiceWarnings(nodes),
  ...unusedWarnings(flow, nodes),
  ...pauseWarnings(nodes),
];
