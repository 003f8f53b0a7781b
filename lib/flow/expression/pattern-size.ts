// Estimates from the text of a regular expression how large its program becomes. The size must be known
// before the expression is compiled, because compiling alone can take seconds and exhaust the memory (such as
// 700 times `a{1000}`).

/**
 * The approximate number of instructions, and of anything else that takes about as long to compile as one
 * (2.5 µs). Never much too low, sometimes too high.
 */
export function patternSize(source: string): number {
  // If the contents of brackets are not certain, each character counts as often as a counted repetition can
  // repeat it.
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
  return fixedSize + open.reduce((sum, { total }) => sum + total, group.total);
}

interface Group {
  total: number;
  /** Number of instructions, including repetitions. */
  size: number;
  /** Number of instructions of the atom that a following quantifier would repeat. */
  last: number;
}

const emptyGroup = (): Group => ({ total: 0, size: 0, last: 0 });

/** An unmatched closing bracket: a quantifier after it may repeat everything before it. */
function closed(around: Group, { total, size }: Group): Group {
  const last = size + 2;
  return { total: around.total + total + 2, size: around.size + last, last };
}

/** A repetition repeats the instructions. The characters of a set are resolved only once. */
function repeat(group: Group, count: number): void {
  const more = group.last * (Math.min(repeatsMax, count) - 1);
  group.total += more;
  group.size += more;
  group.last += more;
}

function addAtom(group: Group, text: string): void {
  group.total += atomSize(text);
  group.size++;
  group.last = isQuantifier(text) ? group.last + 1 : 1;
}

const isQuantifier = (text: string) => text === '*' || text === '+' || text === '?';

function atomSize(text: string): number {
  const properties = text.match(/\\p/gi)?.length ?? 0;
  return text.length + properties * propertySize;
}

/** The maximum repetition of the library, also for nested repetitions together. */
const repeatsMax = 1000;
/** The characters of a Unicode property are collected for each use. */
const propertySize = 160;
/** The size of the smallest expression. */
const fixedSize = 40;

/** Quoted text, and sets that begin with their own closing bracket or name a POSIX class. */
const isUnclear = /\\Q|\[\^?\]|\[:/;

/** Escapes, sets up to their first closing bracket, counted repetitions; everything else is one character. */
const token =
  /\\[pP]\{[^}]*\}|\\[pP].|\\[xu]\{[0-9a-fA-F]{0,8}\}|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]?|\{(\d+)(?:,(\d*))?\}|[\s\S]/g;
