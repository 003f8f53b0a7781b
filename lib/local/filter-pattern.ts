// Filter patterns of CloudWatch Logs, the one form that templates here use: a member of a JSON line is there and is a string.

/** Dots lead inward: `{ $.audit.requestid = "*" }`. */
const anyString = /^\{\s*\$\.(\w+(?:\.\w+)*)\s*=\s*"\*"\s*\}$/;

/** Whether a line matches; a pattern of another form is refused. */
export function filterPattern(pattern: string): (line: string) => boolean {
  const path = anyString.exec(pattern)?.[1]?.split('.');
  if (!path)
    throw new Error(
      `The filter pattern ${pattern} is not supported here; only { $.member.member = "*" } is.`,
    );
  return (line) => typeof path.reduce(member, parseJson(line)) === 'string';
}

function member(value: unknown, name: string): unknown {
  const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isThere ? Reflect.get(value, name) : undefined;
}

function parseJson(line: string): unknown {
  // Most lines of a log are no JSON objects, and those that are start like this.
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
