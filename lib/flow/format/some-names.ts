// Lists possible names in a message, at most twenty, because there can be thousands, and the one that was meant.

export const someNames = (names: readonly string[]): string =>
  `${names.slice(0, namesMax).join(', ')}${names.length > namesMax ? ', …' : ''}`;

const namesMax = 20;

/** Puts the name that was probably meant in front of the names that are expected. */
export const suggesting = (near: string | undefined, expected: string): string =>
  near === undefined ? expected : `did you mean "${near}"? Expected${expected.replace(/^expected/, '')}`;
