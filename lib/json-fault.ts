// What makes a parsed value unfit to be worked with, whatever it is for. Asked before any schema, whose answer to such values says little.
import { jsonDepthMax } from './json-depth.ts';

export interface JsonFault {
  /** Where; empty for the value as a whole. */
  readonly path: readonly string[];
  readonly detail: string;
}

/** A list or an object, and the way to it. */
interface Place {
  readonly value: object;
  readonly key?: string;
  readonly around?: Place;
}

/** Level by level instead of by recursion, so that the depth it looks for cannot hurt it. */
export function faultIn(
  value: unknown,
  isForbidden: (key: string, member: unknown) => boolean = () => false,
): JsonFault | undefined {
  let level: readonly Place[] = [{ value: [value] }];
  for (let depth = 0; level.length > 0; depth += 1) {
    const inside: Place[] = [];
    for (const place of level) {
      for (const [key, member] of Object.entries(place.value)) {
        if (depth > jsonDepthMax)
          return {
            path: pathOf(place, key),
            detail: `must not be nested deeper than ${jsonDepthMax} levels`,
          };
        if (isForbidden(key, member))
          return { path: pathOf(place, key), detail: 'is a name that no member may have' };
        if (typeof member === 'number' && !Number.isFinite(member))
          return { path: pathOf(place, key), detail: 'must be a number up to about 1.8e308' };
        if (typeof member === 'object' && member !== null) inside.push({ value: member, key, around: place });
      }
    }
    level = inside;
  }
  return undefined;
}

/** Without the list that stands around the whole value. */
const pathOf = ({ key, around }: Place, last: string): readonly string[] =>
  around === undefined || key === undefined ? [] : [...pathOf(around, key), last];
