// Names that stand twice in one object of a JSON text. A parser keeps the last and says nothing (RFC 8259, section 4), so they show in the text alone.

export interface RepeatedName {
  readonly path: readonly (string | number)[];
  /** Of its second place, from 1. */
  readonly line: number;
}

/** An object or a list that is still open, and where in it the reader is. */
interface Open {
  readonly names: Set<string> | undefined;
  step: string | number;
  /** Whether the next text is the name of a member. */
  isName: boolean;
}

/** The text must be JSON: only what matters here is read of it. */
export function repeatedNames(text: string): RepeatedName[] {
  const repeated: RepeatedName[] = [];
  const open: Open[] = [];
  let line = 1;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],\n]/g)) {
    const inner = open.at(-1);
    if (token === '\n') line++;
    else if (token === '{') open.push({ names: new Set(), step: '', isName: true });
    else if (token === '[') open.push({ names: undefined, step: 0, isName: false });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',') goOn(inner);
    else if (inner?.isName && isRepeated(inner, JSON.parse(token)))
      repeated.push({ path: open.map(({ step }) => step), line });
  }
  return repeated;
}

function goOn(inner: Open | undefined): void {
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
