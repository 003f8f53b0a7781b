// Finds names that occur twice in one object of a JSON text. A parser keeps the last member and does not
// report the others (RFC 8259, section 4), so they can only be found in the text.
import { pointerTo } from './pointer.ts';

export interface RepeatedName {
  readonly path: readonly (string | number)[];
  /** The line of the second occurrence, from 1. */
  readonly line: number;
}

/** An object or array that is not yet closed, and the current position in it. */
interface Open {
  readonly names: Set<string> | undefined;
  step: string | number;
  /** Whether the next string is the name of a member. */
  isName: boolean;
}

/** Returns the first twenty. The text must be valid JSON, because only its structure is read. */
export function repeatedNames(text: string): RepeatedName[] {
  const repeated: RepeatedName[] = [];
  const open: Open[] = [];
  let line = 1;
  const tokens = /["{}[\],\n]/g;
  for (let found = tokens.exec(text); found && repeated.length < repeatedMax; found = tokens.exec(text)) {
    const [token] = found;
    const inner = open.at(-1);
    if (token === '"') {
      tokens.lastIndex = endOfText(text, found.index);
      if (inner?.isName && isRepeated(inner, JSON.parse(text.slice(found.index, tokens.lastIndex))))
        repeated.push({ path: open.map(({ step }) => step), line });
    } else if (token === '\n') line++;
    else if (token === '{') open.push({ names: new Set(), step: '', isName: true });
    else if (token === '[') open.push({ names: undefined, step: 0, isName: false });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',') advance(inner);
  }
  return repeated;
}

/** A mistake, such as two nodes with the same id after a copy: JSON.parse keeps the last. */
export const describeRepeated = ({ path, line }: RepeatedName) => ({
  pointer: pointerTo(path),
  detail: `this name is used twice in its object, again in line ${line}: the first value would be lost`,
});

const repeatedMax = 20;

/**
 * A loop, because a regular expression would keep a backtracking position for each character and overflow on
 * a large text.
 */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function advance(inner: Open | undefined): void {
  if (!inner) return;
  if (typeof inner.step === 'number') inner.step++;
  else inner.isName = true;
}

function isRepeated(inner: Open, name: string): boolean {
  inner.step = name;
  inner.isName = false;
  if (inner.names?.has(name)) return true;
  inner.names?.add(name);
  return false;
}
