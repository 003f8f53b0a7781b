// Names that might have been meant, for a message: as many as anybody reads. There may be thousands.

export const someNames = (names: readonly string[]): string =>
  `${names.slice(0, namesMax).join(', ')}${names.length > namesMax ? ', …' : ''}`;

const namesMax = 20;
