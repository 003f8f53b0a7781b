// Finds what makes a parsed value unusable for any purpose. It runs before schema validation, whose errors
// for such values are not helpful.
import { jsonDepthMax } from './depth.ts';

export interface JsonFault {
  /** The path of the fault; empty for the value as a whole. */
  readonly path: readonly string[];
  readonly detail: string;
}

/** An array or object, and its path through the containers around it. */
interface Container {
  readonly value: object;
  readonly key: string;
  readonly around: Container | undefined;
}

type IsForbidden = (key: string, member: unknown) => boolean;

/** Code that copies such members, of the service or of a package, would change the prototypes of objects. */
export const reachesForPrototypes: IsForbidden = (key, member) =>
  key === '__proto__' ||
  (key === 'constructor' &&
    typeof member === 'object' &&
    member !== null &&
    Object.hasOwn(member, 'prototype'));

/**
 * Iterative, so that a deep value cannot overflow the stack. The value must come from a JSON parser, so that
 * it has no inherited members.
 */
export function faultIn(value: unknown, isForbidden: IsForbidden = () => false): JsonFault | undefined {
  const whole = memberFault(value);
  if (whole !== undefined) return { path: [], detail: whole };
  let level: Container[] = isContainer(value) ? [{ value, key: '', around: undefined }] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    const inside: Container[] = [];
    for (const container of level) {
      const fault = faultAt(container, depth, isForbidden, inside);
      if (fault) return fault;
    }
    level = inside;
  }
  return undefined;
}

/** Checks only the direct members of the container, and adds those that are containers to `inside`. */
function faultAt(
  container: Container,
  depth: number,
  isForbidden: IsForbidden,
  inside: Container[],
): JsonFault | undefined {
  const { value } = container;
  // Avoids a string for each index, because lists of a million numbers are common.
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const member: unknown = value[index];
      const detail = depth > jsonDepthMax ? tooDeep : memberFault(member);
      if (detail !== undefined) return { path: pathTo(container, String(index)), detail };
      if (isContainer(member)) inside.push({ value: member, key: String(index), around: container });
    }
    return undefined;
  }
  for (const key in value) {
    const member: unknown = Reflect.get(value, key);
    const detail =
      depth > jsonDepthMax ? tooDeep : (nameFault(key, member, isForbidden) ?? memberFault(member));
    if (detail !== undefined) return { path: pathTo(container, key), detail };
    if (isContainer(member)) inside.push({ value: member, key, around: container });
  }
  return undefined;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

const tooDeep = `must not be nested deeper than ${jsonDepthMax} levels`;

function nameFault(key: string, member: unknown, isForbidden: IsForbidden): string | undefined {
  if (isForbidden(key, member)) return 'is a name that no member may have';
  return key.isWellFormed() ? undefined : `is a name that ${loneSurrogate}`;
}

function memberFault(member: unknown): string | undefined {
  if (typeof member === 'string') return member.isWellFormed() ? undefined : notUnicode;
  if (typeof member === 'number' && !Number.isFinite(member)) return 'must be a number up to about 1.8e308';
  return undefined;
}

/**
 * JSON can contain half of a surrogate pair (RFC 8259, section 8.2), but UTF-8 cannot, so DynamoDB and many
 * receivers reject or change it.
 */
const loneSurrogate = 'has half of a surrogate pair (\\ud800 to \\udfff)';

const notUnicode = `must be Unicode text: it ${loneSurrogate}`;

/** Shows half of a surrogate pair in a name as U+FFFD. */
function pathTo(container: Container, last: string): readonly string[] {
  const path = [last.toWellFormed()];
  for (let at: Container | undefined = container; at?.around; at = at.around) path.push(at.key);
  return path.reverse();
}
