// How much work it is to parse an expression, estimated from its text: the library's parser takes quadratic time for long paths, and for the
// operators `??` and `?:`, whose left side it reads twice, exponential time where they stand inside one another.

/** In units of some 25 ns. Brackets, separators and operators show the structure; strings, names in quotes and comments are passed over. */
export function expressionSize(source: string): number {
  const around: Level[] = [];
  let level = emptyLevel();
  token.lastIndex = 0;
  for (let found = token.exec(source); found; found = token.exec(source)) {
    const [text] = found;
    if (text === '(' || text === '[' || text === '{') {
      around.push(level);
      level = emptyLevel();
    } else if (text === ')' || text === ']' || text === '}') {
      const inner = level.done + level.operand;
      // One bracket too many is a mistake for the parser; here, all before it belongs to it.
      level = around.pop() ?? emptyLevel();
      level.operand += inner + tokenUnits;
    } else readToken(text, level);
  }
  return around.reduce((sum, { done, operand }) => sum + done + operand, level.done + level.operand);
}

interface Level {
  /** Of what no operator that follows can have on its left. */
  done: number;
  /** Of what has been read since. */
  operand: number;
  /** Steps of the path that is being read. */
  dots: number;
}

const emptyLevel = (): Level => ({ done: 0, operand: 0, dots: 0 });

function readToken(text: string, level: Level): void {
  level.operand += tokenUnits + text.length;
  if (text === '.') {
    level.dots++;
    level.operand += 2 * level.dots;
  } else if (text === '%') level.operand += 2 * level.dots;
  else if (text === '??' || text === '?:') {
    level.done += 2 * level.operand;
    level.operand = 0;
    level.dots = 0;
  } else if (text === ',' || text === ';') {
    level.done += level.operand;
    level.operand = 0;
    level.dots = 0;
  } else if (endsPath.has(text)) level.dots = 0;
}

/** Some 1.5 µs: a node of the syntax tree is made, read and secured. */
const tokenUnits = 60;

const endsPath: ReadonlySet<string> = new Set(['+', '-', '&', '=', '<', '>', '!', '?', ':', '|']);

const token =
  /"(?:[^"\\]|\\[\s\S])*"?|'(?:[^'\\]|\\[\s\S])*'?|`[^`]*`?|\/\*[\s\S]*?(?:\*\/|$)|\?\?|\?:|\\[\s\S]|[\w$]+|\s+|[\s\S]/g;
