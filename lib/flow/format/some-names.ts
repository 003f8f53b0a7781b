// Lists possible names in a message, at most twenty, because there can be thousands.

export const someNames = (names: readonly string[]): string =>
  `${names.slice(0, namesMax).join(', ')}${names.length > namesMax ? ', …' : ''}`;

const namesMax = 20;
