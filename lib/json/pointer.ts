// Where in a JSON value (RFC 6901).

/** Begins with a slash; empty for the value as a whole. */
export const pointerTo = (path: readonly PropertyKey[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
