// The rules of the demo's scripted model. They make the demo repeatable and independent of any account. The
// model does not understand anything; only the demo may use it.
import { isList, isObject } from '#lib/flow/format/json-value.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { truncate } from '#lib/truncate.ts';

export const demoModelId = 'demo-scripted';

/** With a schema, JSON that matches it; otherwise a sentence that begins with the name of the model. */
export function scriptedAnswer(prompt: string, schema?: JsonObject): string {
  const text = findSubject(prompt);
  if (schema) return JSON.stringify(fill('', schema, { text, root: schema, depth: 0 }) ?? makeEmpty(schema));
  return `[${demoModelId}] ${firstSentence(text) || 'There is nothing to answer.'}`;
}

/**
 * The part of a prompt that is not an instruction: the text after its first colon ("Classify this message:
 * …") or its first empty line, otherwise all of it. Instructions contain the words that the rules look for.
 */
function findSubject(prompt: string): string {
  const mark = /:\s+/.exec(prompt) ?? /\n\s*\n/.exec(prompt);
  return (mark ? prompt.slice(mark.index + mark[0].length) : prompt).trim();
}

interface Filling {
  readonly text: string;
  /** The schema that `$ref` refers to. */
  readonly root: JsonObject;
  readonly depth: number;
}

/** Ends recursive schemas. */
const depthMax = 10;

/** The value of one schema; undefined if the text has no value for it. */
function fill(name: string, schema: JsonObject, outer: Filling): Json | undefined {
  if (outer.depth > depthMax) return undefined;
  const filling = { ...outer, depth: outer.depth + 1 };
  const { $ref, enum: options, const: fixed } = schema;
  if (typeof $ref === 'string') return fill(name, resolveReference($ref, filling.root), filling);
  if (fixed !== undefined) return fixed;
  if (isList(options)) return choose(options, filling.text);
  const branches = [schema.anyOf, schema.oneOf].find(isList)?.filter(isObject) ?? [];
  for (const branch of branches) {
    const value = fill(name, branch, filling);
    if (value !== undefined && value !== null) return value;
  }
  if (branches.length > 0) return isNullable(schema) ? null : makeEmpty(branches[0] ?? {});
  return fillers.get(readType(schema))?.(name, schema, filling);
}

const fillers = new Map<string, typeof fill>([
  ['object', fillObject],
  ['array', fillList],
  ['string', (name, schema, { text }) => fitLength(findText(name, text), schema)],
  ['integer', (_name, schema, { text }) => clamp(Math.round(firstNumber(text) ?? 0), schema)],
  ['number', (_name, schema, { text }) => clamp(firstNumber(text) ?? 0, schema)],
  ['boolean', (name, _schema, { text }) => words(name).some((word) => hasWord(text, word))],
  ['null', () => null],
]);

function fillObject(_name: string, schema: JsonObject, filling: Filling): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = isList(schema.required) ? schema.required : [];
  const entries = Object.entries(properties).flatMap(([key, property]) => {
    if (!isObject(property)) return [];
    const value = fill(key, property, filling) ?? (isNullable(property) ? null : undefined);
    if (value !== undefined) return [[key, value] as const];
    return required.includes(key) ? [[key, makeEmpty(property)] as const] : [];
  });
  return Object.fromEntries(entries);
}

function fillList(name: string, schema: JsonObject, filling: Filling): Json[] {
  const least = typeof schema.minItems === 'number' ? schema.minItems : 0;
  const item = isObject(schema.items) ? schema.items : { type: 'string' };
  const value = schema.maxItems === 0 ? undefined : fill(name, item, filling);
  const length = Math.max(least, value === undefined ? 0 : 1);
  return Array.from({ length }, () => value ?? makeEmpty(item));
}

/** Refund comes first, because a message about a refund also mentions its order. */
const kinds: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['refund', /\brefund|money back/i],
  ['order_status', /\border|\bwhere\b|\btrack/i],
];

/**
 * The kind found by the rules above, or an option whose words are in the text, or "other", or the last
 * option.
 */
function choose(options: readonly Json[], text: string): Json | undefined {
  const kind = kinds.find(([name, pattern]) => options.includes(name) && pattern.test(text))?.[0];
  const named = options.find(
    (option) => typeof option === 'string' && hasWord(text, option.replaceAll('_', ' ')),
  );
  return kind ?? named ?? options.find((option) => option === 'other') ?? options.at(-1);
}

/**
 * Chooses a string by the name of the property: a number for an id, an e-mail address, otherwise an excerpt.
 */
function findText(name: string, text: string): string | undefined {
  if (/(^|_)(id|number|no)$|Id$/.test(name)) return /\d{3,}/.exec(text)?.[0];
  if (/e?mail/i.test(name)) return /[\w.+-]+@[\w-]+(\.[\w-]+)+/.exec(text)?.[0];
  if (/language/i.test(name)) return 'en';
  return firstSentence(text) || undefined;
}

function fitLength(text: string | undefined, { minLength, maxLength }: JsonObject): string | undefined {
  if (text === undefined) return undefined;
  const cut = typeof maxLength === 'number' ? truncate(text, maxLength) : text;
  return typeof minLength === 'number' ? cut.padEnd(minLength, '.') : cut;
}

function clamp(value: number, { minimum, maximum }: JsonObject): number {
  const atLeast = typeof minimum === 'number' ? Math.max(value, minimum) : value;
  return typeof maximum === 'number' ? Math.min(atLeast, maximum) : atLeast;
}

/** The value of a required property if the text has none. */
function makeEmpty(schema: JsonObject): Json {
  if (isNullable(schema)) return null;
  return readType(schema) === 'string' ? (fitLength('', schema) ?? '') : {};
}

function readType({ type, properties }: JsonObject): string {
  const name = isList(type) ? type.find((option) => option !== 'null') : type;
  return typeof name === 'string' ? name : properties ? 'object' : 'string';
}

const isNullable = ({ type, anyOf }: JsonObject) =>
  type === 'null' ||
  (isList(type) && type.includes('null')) ||
  (isList(anyOf) && anyOf.some((branch) => isObject(branch) && branch.type === 'null'));

function resolveReference(pointer: string, root: JsonObject): JsonObject {
  const steps = pointer.replace(/^#\/?/, '').split('/').filter(Boolean);
  const target = steps.reduce<Json | undefined>(
    (value, step) => (isObject(value) ? value[step] : undefined),
    root,
  );
  return isObject(target) && target !== root ? target : {};
}

function firstNumber(text: string): number | undefined {
  const digits = /-?\d+(\.\d+)?/.exec(text)?.[0];
  return digits === undefined ? undefined : Number(digits);
}

const words = (name: string) => name.split(/_|(?=[A-Z])/).map((word) => word.toLowerCase());

const hasWord = (text: string, word: string) =>
  ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')} `.includes(` ${word} `);

/** At most the first sentence. */
const firstSentence = (text: string) => (/^[^.!?\n]{0,160}[.!?]?/.exec(text)?.[0] ?? '').trim();

interface DemoTool {
  readonly name: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
}

interface DemoToolCall {
  readonly name: string;
  /** JSON text, as providers send it. */
  readonly arguments: string;
}

/**
 * Calls a tool whose name the prompt contains in words ("find tickets"), each tool once and in their order.
 * Undefined when all of them were called.
 */
export function scriptedToolCall(
  prompt: string,
  tools: readonly DemoTool[],
  used: ReadonlySet<string>,
): DemoToolCall | undefined {
  const tool = tools.find(({ name }) => !used.has(name) && hasWord(prompt, name.replaceAll(/[_-]+/g, ' ')));
  return tool && { name: tool.name, arguments: scriptedAnswer(prompt, tool.parameters) };
}
