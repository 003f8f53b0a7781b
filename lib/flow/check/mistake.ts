// A mistake in a flow: where it is and what was expected there. And what is no mistake, but worth a look.
import type { FlowWarning } from './warning.ts';

export interface Mistake {
  /** RFC 6901, from the flow's own root; empty for the flow itself. */
  readonly pointer: string;
  readonly detail: string;
}

/** With a pointer as that of a mistake. */
export interface Warning extends Mistake {
  readonly code: FlowWarning['code'];
}

export type Path = readonly (string | number)[];
