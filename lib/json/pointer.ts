// JSON pointers (RFC 6901), for messages.

/** Longer than any pointer that a message shows. */
const charsMax = 2_048;

/**
 * Begins with a slash; empty for the value as a whole. A pointer is cut soon after `charsMax` characters,
 * because a name in a request can have megabytes, and thousands of mistakes below it.
 */
export function pointerTo(path: readonly PropertyKey[]): string {
  let pointer = '';
  for (const step of path) {
    if (pointer.length > charsMax) break;
    pointer += `/${String(step).slice(0, charsMax).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return pointer;
}

/** The path that a pointer names. */
export const parsePointer = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
