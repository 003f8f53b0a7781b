// What tells apart everything that one name ever stood for. Environments and triggers begin at version 1 again when they are deleted and made
// anew, so the version alone would take the new one for the old.
export interface Versioned {
  readonly version: number;
  /** RFC 3339. */
  readonly created_at: string;
}

/** Whether it is what an If-Match asks for (RFC 9110 §13.1.1): its own tag, or `*` for whatever there is, which nothing is not. */
export const isExpected = (thing: Versioned | undefined, ifMatch: string | undefined): boolean =>
  ifMatch === undefined || (thing !== undefined && (ifMatch === '*' || ifMatch === `"${editionOf(thing)}"`));

/** The content of an entity tag, such as `3-mhx2k1c0`. */
export const editionOf = ({ version, created_at }: Versioned): string =>
  `${version}-${Date.parse(created_at).toString(36)}`;
