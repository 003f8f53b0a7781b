// What tells apart everything that one name ever stood for. Environments and triggers begin at version 1 again when they are deleted and made
// anew, so the version alone would take the new one for the old.
export interface Versioned {
  readonly version: number;
  /** RFC 3339. */
  readonly created_at: string;
}

/** The content of an entity tag, such as `3-mhx2k1c0`. */
export const editionOf = ({ version, created_at }: Versioned): string =>
  `${version}-${Date.parse(created_at).toString(36)}`;
