// Cuts a template into its literal text and its `{{ }}` expressions. What an expression means is decided elsewhere.
import { NodeError } from './node-error.ts';

export type Segment = { readonly text: string } | { readonly expression: string; readonly at: number };

export const hasTemplate = (text: string) => text.includes('{{');

/** Throws `expression.syntax` when a `{{` is not closed. */
export function segmentsOf(text: string): Segment[] {
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

/** The source of a value that is exactly one expression and so keeps the type of its result. White space around it does not count. */
export function wholeExpression(text: string): string | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{{') || !trimmed.endsWith('}}')) return undefined;
  const [only, second] = segmentsOf(trimmed);
  return only && second === undefined && 'expression' in only ? only.expression : undefined;
}

/** Where the closing `}}` is: not in a string, a quoted name, a comment or a regular expression, and not while a `{` of the expression is open. */
function endOfExpression(text: string, start: number): number {
  let open = 0;
  let position = start;
  /** Where the last token ends that is no white space. */
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

/** The position after the token that begins here: one character, unless it is one in which braces mean nothing. */
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

/** A `/` divides when a value stands before it, and opens a regular expression otherwise. Looks back a few characters at most. */
function startsRegex(text: string, start: number, before: number): boolean {
  const last = text.slice(Math.max(start, before - 4), before);
  return before === start || /[([{,;:=<>!&|+\-*%?~^]$/.test(last) || /\b(and|or|in)$/.test(last);
}
