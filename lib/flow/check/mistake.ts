// A mistake in a flow: where it is and what was expected there.

export interface Mistake {
  /** RFC 6901, from the flow's own root; empty for the flow itself. */
  readonly pointer: string;
  readonly detail: string;
}

export type Path = readonly (string | number)[];

export const pointerOf = (path: Path) =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
