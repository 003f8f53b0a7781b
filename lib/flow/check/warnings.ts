// Collects the warnings about a flow without mistakes.
import type { Flow } from '../definition/flow.ts';
import { findCaseWarnings } from './cases.ts';
import { findChoiceWarnings } from './choices.ts';
import { findPatternWarnings } from './error-patterns.ts';
import { findLoopWarnings } from './loops.ts';
import type { Warning } from './mistake.ts';
import { findObjectSchemaWarnings } from './object-schemas.ts';
import { findPauseWarnings } from './pauses.ts';
import type { ReadNodes } from './read-nodes.ts';
import { findUnusedWarnings } from './unused.ts';

export const findWarnings = (flow: Flow, { nodes, blocks }: ReadNodes): readonly Warning[] => [
  ...findObjectSchemaWarnings(flow),
  ...findLoopWarnings(blocks),
  ...findCaseWarnings(nodes),
  ...findPatternWarnings(nodes),
  ...findChoiceWarnings(nodes),
  ...findUnusedWarnings(flow, nodes),
  ...findPauseWarnings(nodes),
];
