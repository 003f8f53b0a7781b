// How large the program of a regular expression becomes, estimated from its text: it has to be known before the expression is compiled, which
// alone may take seconds and more memory than there is (`a{1000}` seven hundred times).

/** About its instructions, and what else takes as long to compile as one of them, some 2.5 µs. Never much less, sometimes more. */
export function patternSize(source: string): number {
  // Where it is not plain at once what is inside brackets, each character counts as often as counted repetition may repeat it.
  if (isUnclear.test(source)) return fixedSize + source.length * (source.includes('{') ? repeatsMax : 1);
  const open: Group[] = [];
  let group = emptyGroup();
  token.lastIndex = 0;
  for (let found = token.exec(source); found; found = token.exec(source)) {
    const [text, count, most] = found;
    if (text === '(') {
      open.push(group);
      group = emptyGroup();
    } else if (text === ')') group = closed(open.pop() ?? emptyGroup(), group);
    else if (count !== undefined) repeat(group, Math.max(Number(count), Number(most ?? 0), 1));
    else addAtom(group, text);
  }
  return fixedSize + open.reduce((sum, { weight }) => sum + weight, group.weight);
}

interface Group {
  weight: number;
  /** Instructions, as often as they are repeated. */
  size: number;
  /** Those of what a quantifier that follows would repeat. */
  last: number;
}

const emptyGroup = (): Group => ({ weight: 0, size: 0, last: 0 });

/** Where none was opened, everything before is what may be repeated. */
function closed(around: Group, { weight, size }: Group): Group {
  const last = size + 2;
  return { weight: around.weight + weight + 2, size: around.size + last, last };
}

/** The program is repeated, and what its characters are is found out once. */
function repeat(group: Group, count: number): void {
  const more = group.last * (Math.min(repeatsMax, count) - 1);
  group.weight += more;
  group.size += more;
  group.last += more;
}

function addAtom(group: Group, text: string): void {
  group.weight += atomSize(text);
  group.size++;
  group.last = isQuantifier(text) ? group.last + 1 : 1;
}

const isQuantifier = (text: string) => text === '*' || text === '+' || text === '?';

function atomSize(text: string): number {
  const properties = text.match(/\\p/gi)?.length ?? 0;
  return text.length + properties * propertySize;
}

/** The library allows no more, nested ones together. */
const repeatsMax = 1000;
/** The characters of a property of Unicode are put together for each use. */
const propertySize = 160;
/** Of the smallest expression. */
const fixedSize = 40;

/** Quoted text, and sets that begin with their own closing bracket or name a set of POSIX. */
const isUnclear = /\\Q|\[\^?\]|\[:/;

/** Escapes, sets as far as their first closing bracket, counted repetition, and everything else character by character. */
const token =
  /\\[pP]\{[^}]*\}|\\[pP].|\\[xu]\{[0-9a-fA-F]{0,8}\}|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]?|\{(\d+)(?:,(\d*))?\}|[\s\S]/g;
