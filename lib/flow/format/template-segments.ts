// Splits a template into literal text and `{{ }}` expressions. The expressions are not parsed here.
import { NodeError } from './node-error.ts';

export type Segment = { readonly text: string } | { readonly expression: string; readonly at: number };

export const hasTemplate = (text: string) => text.includes('{{');

/** Throws `expression.syntax` if a `{{` is not closed. */
export function parseSegments(text: string): Segment[] {
  const segments: Segment[] = [];
  let position = 0;
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', position)) {
    if (open > position) segments.push({ text: text.slice(position, open) });
    const close = endOfExpression(text, open + 2);
    segments.push({ expression: text.slice(open + 2, close).trim(), at: open });
    position = close + 2;
  }
  if (position < text.length) segments.push({ text: text.slice(position) });
  return segments;
}

/** The source of a value that is exactly one expression, which keeps the type of its result. */
export function onlyExpression(text: string): string | undefined {
  if (!text.startsWith('{{') || !text.endsWith('}}')) return undefined;
  const [only, second] = parseSegments(text);
  return only && second === undefined && 'expression' in only ? only.expression : undefined;
}

/** The same for a field that cannot be text: white space around the expression is ignored. */
export const wholeExpression = (text: string): string | undefined => onlyExpression(text.trim());

/**
 * The position of the closing `}}`, which is not in a string, a quoted name, a comment or a regular
 * expression, nor inside a `{` of the expression.
 */
function endOfExpression(text: string, start: number): number {
  let open = 0;
  let position = start;
  /** The end of the last token that is not white space. */
  let before = start;
  while (position < text.length) {
    const char = text[position];
    if (char === '}') {
      if (open === 0 && text[position + 1] === '}') return position;
      open--;
    }
    if (char === '{') open++;
    const next = skipToken(text, { start, before, position });
    if (char?.trim() !== '') before = next;
    position = next;
  }
  throw new NodeError('expression.syntax', 'expected "}}" after "{{"');
}

interface Reader {
  readonly start: number;
  readonly before: number;
  readonly position: number;
}

/**
 * The position after the token that begins here: one character, or a token in which braces have no meaning.
 */
function skipToken(text: string, { start, before, position }: Reader): number {
  const char = text[position];
  if (char === '"' || char === "'") return closing(text, position, char, true);
  if (char === '`') return closing(text, position, '`', false);
  if (char !== '/') return position + 1;
  if (text[position + 1] === '*') {
    const end = text.indexOf('*/', position + 2);
    return end === -1 ? text.length : end + 2;
  }
  return startsRegex(text, start, before) ? closing(text, position, '/', true) : position + 1;
}

function closing(text: string, open: number, quote: string, escapes: boolean): number {
  for (let position = open + 1; position < text.length; position++) {
    if (escapes && text[position] === '\\') position++;
    else if (text[position] === quote) return position + 1;
  }
  return text.length;
}

/**
 * A `/` after a value is a division; otherwise it begins a regular expression. Reads at most four characters
 * back.
 */
function startsRegex(text: string, start: number, before: number): boolean {
  const last = text.slice(Math.max(start, before - 4), before);
  return before === start || /[([{,;:=<>!&|+\-*%?~^]$/.test(last) || /\b(and|or|in)$/.test(last);
}
