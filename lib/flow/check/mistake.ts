// A mistake in a flow: where it is and what was expected there. A warning is the same for what is allowed, but
// probably not what the author wants.
import type { FlowWarning } from './warning.ts';

export interface Mistake {
  /** RFC 6901, from the flow's own root; empty for the flow itself. */
  readonly pointer: string;
  readonly detail: string;
}

export interface Warning extends Mistake {
  readonly code: FlowWarning['code'];
}

export type Path = readonly PropertyKey[];
