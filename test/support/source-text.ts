// What the architecture test needs to know of a source file: its imports, its functions, and its code without
// comments and strings.
import { type ParseResult, parseSync, Visitor } from 'oxc-parser';

export interface Span {
  readonly name: string;
  /** From 1. */
  readonly line: number;
  readonly lines: number;
}

/** Specifiers of all static, dynamic and type imports and re-exports. Several rules ask for those of the same file. */
export function listImports(text: string): readonly string[] {
  const specifiers = listed.get(text) ?? readImports(text);
  listed.set(text, specifiers);
  return specifiers;
}

const listed = new Map<string, readonly string[]>();

function readImports(text: string): readonly string[] {
  const parsed = parse(text);
  const { module } = parsed;
  const specifiers = module.staticImports.map(({ moduleRequest }) => moduleRequest.value);
  for (const { entries } of module.staticExports)
    specifiers.push(...new Set(entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])));
  for (const { moduleRequest } of module.dynamicImports) {
    const [, literal] = /^'([^']+)'$/.exec(text.slice(moduleRequest.start, moduleRequest.end)) ?? [];
    if (literal !== undefined) specifiers.push(literal);
  }
  // The tree is made when it is asked for, which takes most of the time.
  if (!text.includes('import(')) return specifiers;
  new Visitor({ TSImportType: ({ source }) => void specifiers.push(source.value) }).visit(parsed.program);
  return specifiers;
}

/**
 * The text with comments, strings, templates and regular expressions as spaces; every line stays where it is.
 */
export function stripComments(text: string): string {
  const { program, comments } = parse(text);
  const blank: { readonly start: number; readonly end: number }[] = [...comments];
  new Visitor({
    Literal: (node) => void blank.push(node),
    TemplateElement: (node) => void blank.push(node),
  }).visit(program);
  let code = '';
  let at = 0;
  for (const { start, end } of blank.toSorted((a, b) => a.start - b.start)) {
    code += text.slice(at, start) + text.slice(start, end).replace(/[^\n]/g, ' ');
    at = end;
  }
  return code + text.slice(at);
}

/**
 * Every function, method and arrow function, however deeply nested, with the lines from its start to its end.
 */
export function findFunctions(text: string): Span[] {
  const names = new Map<object, string>();
  const spans: Span[] = [];
  const nameValue = (key: { readonly type: string }, value: object | null) => {
    if (value) names.set(value, 'name' in key ? String(key.name) : 'anonymous');
  };
  const addSpan = (node: { readonly start: number; readonly end: number }, name = names.get(node)) => {
    const line = lineAt(text, node.start);
    spans.push({ name: name ?? 'anonymous', line, lines: lineAt(text, node.end) - line + 1 });
  };
  new Visitor({
    VariableDeclarator: ({ id, init }) => nameValue(id, init),
    Property: ({ key, value }) => nameValue(key, value),
    PropertyDefinition: ({ key, value }) => nameValue(key, value),
    MethodDefinition: ({ key, value }) => nameValue(key, value),
    FunctionDeclaration: (node) => addSpan(node, node.id?.name),
    FunctionExpression: (node) => addSpan(node),
    ArrowFunctionExpression: (node) => addSpan(node),
  }).visit(parse(text).program);
  return spans;
}

export const lineCount = (text: string): number => text.replace(/\n$/, '').split('\n').length;

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

function parse(text: string): ParseResult {
  const result = parseSync('source.ts', text);
  const [error] = result.errors;
  if (error) throw new Error(`A source file cannot be parsed: ${error.message}`);
  return result;
}
