// What page and worker share about the text of a flow, without the engine.
import type { Position } from '#lib/json/position.ts';

export interface Problem extends Position {
  readonly severity: 'error' | 'warning';
  /** RFC 6901, from the flow's own root. */
  readonly pointer: string;
  readonly detail: string;
}

/** Text that begins with a brace is JSON, and other text is YAML. */
export const isJsonText = (text: string): boolean => /^\s*\{/.test(text);
