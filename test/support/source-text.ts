// Reads TypeScript as text, as far as the architecture test needs it: what a file imports, and how long its functions are.
// Not a parser (TypeScript 7 has no API for one): comments and strings are blanked out, then brackets are counted.

export interface Span {
  readonly name: string;
  /** From 1. */
  readonly line: number;
  readonly lines: number;
}

/** Specifiers of all static, dynamic and type imports and re-exports. */
export function importsOf(text: string): string[] {
  const code = blank(text, { strings: false });
  return [...code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g)].map((match) => match[1] ?? '');
}

/** The text without what comments, strings and patterns say; every line stays where it is. */
export const codeOf = (text: string): string => blank(text, { strings: true });

/** Every function, method and arrow function, however deeply nested, with all lines from its parameters to its end. */
export function functionsOf(text: string): Span[] {
  const code = codeOf(text);
  return [...arrows(code), ...declared(code)].map(({ name, from, to }) => {
    const line = lineAt(code, from);
    return { name, line, lines: lineAt(code, to) - line + 1 };
  });
}

export const lineCount = (text: string): number => text.replace(/\n$/, '').split('\n').length;

const lineAt = (code: string, index: number): number => code.slice(0, index).split('\n').length;

interface Range {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

function arrows(code: string): Range[] {
  return [...code.matchAll(/=>/g)].flatMap(({ index }) => {
    const head = code.slice(0, index);
    const parameters = /\)\s*(?::[^()=;]*)?$/.exec(head);
    const from = parameters ? opening(code, parameters.index) : index;
    const body = nextSign(code, index + 2);
    const to = code[body] === '{' ? closing(code, body) : endOfExpression(code, body);
    return to === undefined ? [] : [{ name: nameBefore(code, from), from, to }];
  });
}

const controlWords = new Set(['if', 'for', 'while', 'switch', 'catch', 'with']);

/** `function name(…) {`, and `name(…) {` in classes and objects. */
function declared(code: string): Range[] {
  return [...code.matchAll(/([\w$#]+)?\s*(?:<[^<>()]*(?:<[^<>()]*>[^<>()]*)*>)?\(/g)].flatMap((match) => {
    const name = match[1] ?? 'anonymous';
    const open = match.index + match[0].length - 1;
    if (controlWords.has(name)) return [];
    const body = bodyAfter(code, closing(code, open));
    return body === undefined ? [] : [{ name, from: match.index, to: closing(code, body) }];
  });
}

/** The `{` of the body behind the parameters, past a return type; undefined for a call. */
function bodyAfter(code: string, parametersEnd: number): number | undefined {
  let at = nextSign(code, parametersEnd + 1);
  if (code[at] === '{') return at;
  if (code[at] !== ':') return undefined;
  let before = ':';
  for (at = nextSign(code, at + 1); at < code.length; at = nextSign(code, at + 1)) {
    const sign = code[at] ?? '';
    if (sign === '{' && !':|&<,('.includes(before)) return at;
    if (';=?)'.includes(sign)) return undefined;
    if ('{(['.includes(sign)) at = closing(code, at);
    before = sign;
  }
  return undefined;
}

const pairs: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const ends = new Set(Object.values(pairs));

function closing(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    const sign = code[at] ?? '';
    if (sign in pairs) depth += 1;
    if (ends.has(sign)) depth -= 1;
    if (depth === 0) return at;
  }
  return code.length;
}

function opening(code: string, close: number): number {
  let depth = 0;
  for (let at = close; at >= 0; at -= 1) {
    const sign = code[at] ?? '';
    if (ends.has(sign)) depth += 1;
    if (sign in pairs) depth -= 1;
    if (depth === 0) return at;
  }
  return 0;
}

/** The last sign before the comma, semicolon or bracket that ends the expression; undefined where an assignment shows that it is a type. */
function endOfExpression(code: string, from: number): number | undefined {
  for (let at = from; at < code.length; at += 1) {
    const sign = code[at] ?? '';
    if (sign in pairs) at = closing(code, at);
    else if (ends.has(sign) || sign === ',' || sign === ';') return at - 1;
    else if (/^[^=!<>]=[^=>]/.test(code.slice(at - 1, at + 2))) return undefined;
  }
  return undefined;
}

function nextSign(code: string, from: number): number {
  const found = code.slice(from).search(/\S/);
  return found < 0 ? code.length : from + found;
}

const nameBefore = (code: string, from: number): string =>
  /([\w$]+)\s*(?::[^=;]*)?=\s*(?:async\s*)?(?:<[^<>]*>)?$/.exec(
    code.slice(Math.max(0, from - 200), from),
  )?.[1] ?? 'anonymous';

/** What a sign or word before a slash says: a regular expression follows, not a division. */
const beforeRegex = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|of|in))\s*$/;

/** The text with comments, and if asked with the content of strings and regular expressions, as spaces: every index stays. */
function blank(text: string, { strings }: { readonly strings: boolean }): string {
  const literal =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`|\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;
  let code = '';
  let at = 0;
  for (let match = literal.exec(text); match; match = literal.exec(text)) {
    const [found] = match;
    const isComment = found.startsWith('//') || found.startsWith('/*');
    if (
      !isComment &&
      found.startsWith('/') &&
      !beforeRegex.test(code.slice(-80) + text.slice(at, match.index))
    ) {
      literal.lastIndex = match.index + 1;
      continue;
    }
    const end = found === '`' ? templateEnd(text, match.index) : match.index + found.length;
    const whole = text.slice(match.index, end);
    code += text.slice(at, match.index) + (isComment || strings ? spaces(whole) : whole);
    at = end;
    literal.lastIndex = end;
  }
  return code + text.slice(at);
}

/** Code inside `${}` is blanked with its template: a function hidden there is not worth a parser. */
function templateEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text.startsWith('${', at)) depth += 1;
    else if (depth > 0 && text[at] === '}') depth -= 1;
    else if (depth > 0 && text[at] === '`') at = templateEnd(text, at) - 1;
    else if (text[at] === '`') return at + 1;
  }
  return text.length;
}

const spaces = (text: string): string => text.replace(/[^\n]/g, ' ');
