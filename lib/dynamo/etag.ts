// The entity tag (RFC 9110 §8.8.3) of what can be deleted and made again under its name, as environments and
// triggers can: the version begins at 1 again then, so the tag has the time of the creation too.
import type { Condition } from './conditions.ts';

export interface Versioned {
  readonly version: number;
  /** RFC 3339. */
  readonly created_at: string;
}

/** The content of the tag, such as `3-mhx2k1c0`. */
export const formatEtag = ({ version, created_at }: Versioned): string =>
  `${version}-${Date.parse(created_at).toString(36)}`;

/**
 * Whether an If-Match lets the request through (RFC 9110 §13.1.1): it is absent, names this tag, or is `*`
 * and the resource exists.
 */
export const matchesEtag = (resource: Versioned | undefined, ifMatch: string | undefined): boolean =>
  ifMatch === undefined ||
  (resource !== undefined && (ifMatch === '*' || ifMatch === `"${formatEtag(resource)}"`));

/** The condition that the stored item is still the one that was read. */
export const ifUnchanged = ({ version, created_at }: Versioned) =>
  ({
    ConditionExpression: 'version = :seen AND created_at = :created',
    ExpressionAttributeValues: { ':seen': version, ':created': created_at },
  }) satisfies Condition;
