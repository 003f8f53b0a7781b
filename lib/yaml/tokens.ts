// Bounds a YAML text before it is parsed, by its tokens, which are found in linear time.
import { CST, Lexer } from 'yaml';
import { jsonDepthMax } from '#lib/json/depth.ts';
import { YamlMistake } from './yaml-mistake.ts';

/** `key: value` in a line of its own has six. A flow of 500 nodes has about 50,000. */
export const tokensMax = 100_000;
export const aliasesMax = 1_000;

export function requireBounded(text: string): void {
  let [count, aliases, depth, offset] = [0, 0, 0, 0];
  let isText = false;
  for (const token of new Lexer().lex(text)) {
    count += 1;
    if (count > tokensMax)
      throw new YamlMistake(`it has more than ${tokensMax} tokens: send such a document as JSON`, offset);
    const type = isText ? 'scalar' : CST.tokenType(token);
    // The lexer announces a plain or quoted text by a control character, which is not in the source.
    isText = token === CST.SCALAR;
    if (type === 'flow-map-start' || type === 'flow-seq-start') depth += 1;
    if (type === 'flow-map-end' || type === 'flow-seq-end') depth -= 1;
    if (type === 'alias' || type === 'anchor') aliases += 1;
    const fault = findFault(type, depth, aliases);
    if (fault !== undefined) throw new YamlMistake(fault, offset);
    if (!isMark(token)) offset += token.length;
  }
}

function findFault(type: CST.TokenType | null, depth: number, aliases: number): string | undefined {
  if (type === 'tag') return 'it has a tag ("!…"): quote a text that begins with "!"';
  if (type === 'directive-line') return 'it has a directive ("%…")';
  if (depth > jsonDepthMax) return `it is nested deeper than ${jsonDepthMax} levels`;
  if (aliases > aliasesMax) return `it has more than ${aliasesMax} anchors and aliases`;
  return undefined;
}

const marks: ReadonlySet<string> = new Set([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);
const isMark = (token: string): boolean => marks.has(token);
