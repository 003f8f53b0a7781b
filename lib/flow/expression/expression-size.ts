// Estimates from the text of an expression how long parsing takes. The parser of the library takes quadratic
// time for long paths. It takes exponential time for nested operators `??` and `?:`, because it reads their
// left side twice.

/**
 * In units of about 25 ns. Brackets, separators and operators determine the structure; strings, quoted names
 * and comments are skipped.
 */
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
      // An unmatched closing bracket is an error for the parser. Here it closes everything before it.
      level = around.pop() ?? emptyLevel();
      level.operand += inner + tokenUnits;
    } else readToken(text, level);
  }
  return around.reduce((sum, { done, operand }) => sum + done + operand, level.done + level.operand);
}

interface Level {
  /** The size of what no following operator can have on its left side. */
  done: number;
  /** The size of what has been read since. */
  operand: number;
  /** Number of steps of the current path. */
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

/** About 1.5 µs, in which a node of the syntax tree is created, traversed and checked. */
const tokenUnits = 60;

const endsPath: ReadonlySet<string> = new Set(['+', '-', '&', '=', '<', '>', '!', '?', ':', '|']);

const token =
  /"(?:[^"\\]|\\[\s\S])*"?|'(?:[^'\\]|\\[\s\S])*'?|`[^`]*`?|\/\*[\s\S]*?(?:\*\/|$)|\?\?|\?:|\\[\s\S]|[\w$]+|\s+|[\s\S]/g;
