// What the demo's scripted model says: fixed rules over the prompt, so that the demo needs no account and gives the same answer each time.
// It only pretends to understand; nothing outside the demo may take it for a model.
import { isList, isObject } from '#lib/flow/format/json-value.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { truncate } from '#lib/truncate.ts';

export const demoModelId = 'demo-scripted';

/** An object for a schema, as JSON; else a sentence that names its author. */
export function scriptedAnswer(prompt: string, schema?: JsonObject): string {
  const text = subjectOf(prompt);
  if (schema) return JSON.stringify(filled('', schema, { text, root: schema, depth: 0 }) ?? emptyOf(schema));
  return `[${demoModelId}] ${excerpt(text) || 'There is nothing to answer.'}`;
}

/**
 * The part of a prompt that is not instruction: what follows its first colon ("Classify this message: …"), or its first empty line, or all.
 * Instructions name the very words the rules look for.
 */
function subjectOf(prompt: string): string {
  const mark = /:\s+/.exec(prompt) ?? /\n\s*\n/.exec(prompt);
  return (mark ? prompt.slice(mark.index + mark[0].length) : prompt).trim();
}

interface Filling {
  readonly text: string;
  /** Where `$ref` looks. */
  readonly root: JsonObject;
  readonly depth: number;
}

/** Where a schema that refers to itself ends. */
const depthMax = 10;

/** The value for one place of a schema; undefined when the text has nothing for it. */
function filled(name: string, schema: JsonObject, outer: Filling): Json | undefined {
  if (outer.depth > depthMax) return undefined;
  const filling = { ...outer, depth: outer.depth + 1 };
  const { $ref, enum: options, const: fixed } = schema;
  if (typeof $ref === 'string') return filled(name, referenced($ref, filling.root), filling);
  if (fixed !== undefined) return fixed;
  if (isList(options)) return chosen(options, filling.text);
  const branches = [schema.anyOf, schema.oneOf].find(isList)?.filter(isObject) ?? [];
  for (const branch of branches) {
    const value = filled(name, branch, filling);
    if (value !== undefined && value !== null) return value;
  }
  if (branches.length > 0) return isNullable(schema) ? null : emptyOf(branches[0] ?? {});
  return fillers.get(typeOf(schema))?.(name, schema, filling);
}

const fillers = new Map<string, typeof filled>([
  ['object', filledObject],
  ['array', filledList],
  ['string', (name, schema, { text }) => fitted(foundText(name, text), schema)],
  ['integer', (_name, schema, { text }) => bounded(Math.round(firstNumber(text) ?? 0), schema)],
  ['number', (_name, schema, { text }) => bounded(firstNumber(text) ?? 0, schema)],
  ['boolean', (name, _schema, { text }) => words(name).some((word) => hasWord(text, word))],
  ['null', () => null],
]);

function filledObject(_name: string, schema: JsonObject, filling: Filling): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = isList(schema.required) ? schema.required : [];
  const entries = Object.entries(properties).flatMap(([key, property]) => {
    if (!isObject(property)) return [];
    const value = filled(key, property, filling) ?? (isNullable(property) ? null : undefined);
    if (value !== undefined) return [[key, value] as const];
    return required.includes(key) ? [[key, emptyOf(property)] as const] : [];
  });
  return Object.fromEntries(entries);
}

function filledList(name: string, schema: JsonObject, filling: Filling): Json[] {
  const least = typeof schema.minItems === 'number' ? schema.minItems : 0;
  const item = isObject(schema.items) ? schema.items : { type: 'string' };
  const value = schema.maxItems === 0 ? undefined : filled(name, item, filling);
  const length = Math.max(least, value === undefined ? 0 : 1);
  return Array.from({ length }, () => value ?? emptyOf(item));
}

/** Refund first, because a message about a refund speaks of its order too. */
const kinds: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['refund', /\brefund|money back/i],
  ['order_status', /\border|\bwhere\b|\btrack/i],
];

/** The kind the rules above find, else an option whose words are in the text, else "other", else the last option. */
function chosen(options: readonly Json[], text: string): Json | undefined {
  const kind = kinds.find(([name, pattern]) => options.includes(name) && pattern.test(text))?.[0];
  const named = options.find(
    (option) => typeof option === 'string' && hasWord(text, option.replaceAll('_', ' ')),
  );
  return kind ?? named ?? options.find((option) => option === 'other') ?? options.at(-1);
}

/** Strings by the name of their place: numbers for ids, addresses for e-mails, an excerpt for everything that asks for words. */
function foundText(name: string, text: string): string | undefined {
  if (/(^|_)(id|number|no)$|Id$/.test(name)) return /\d{3,}/.exec(text)?.[0];
  if (/e?mail/i.test(name)) return /[\w.+-]+@[\w-]+(\.[\w-]+)+/.exec(text)?.[0];
  if (/language/i.test(name)) return 'en';
  return excerpt(text) || undefined;
}

function fitted(text: string | undefined, { minLength, maxLength }: JsonObject): string | undefined {
  if (text === undefined) return undefined;
  const cut = typeof maxLength === 'number' ? truncate(text, maxLength) : text;
  return typeof minLength === 'number' ? cut.padEnd(minLength, '.') : cut;
}

function bounded(value: number, { minimum, maximum }: JsonObject): number {
  const atLeast = typeof minimum === 'number' ? Math.max(value, minimum) : value;
  return typeof maximum === 'number' ? Math.min(atLeast, maximum) : atLeast;
}

/** What a required place holds when the text has nothing for it. */
function emptyOf(schema: JsonObject): Json {
  if (isNullable(schema)) return null;
  return typeOf(schema) === 'string' ? (fitted('', schema) ?? '') : {};
}

function typeOf({ type, properties }: JsonObject): string {
  const name = isList(type) ? type.find((option) => option !== 'null') : type;
  return typeof name === 'string' ? name : properties ? 'object' : 'string';
}

const isNullable = ({ type, anyOf }: JsonObject) =>
  type === 'null' ||
  (isList(type) && type.includes('null')) ||
  (isList(anyOf) && anyOf.some((branch) => isObject(branch) && branch.type === 'null'));

function referenced(pointer: string, root: JsonObject): JsonObject {
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

export const hasWord = (text: string, word: string) =>
  ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')} `.includes(` ${word} `);

/** The first sentence, at most. */
const excerpt = (text: string) => (/^[^.!?\n]{0,160}[.!?]?/.exec(text)?.[0] ?? '').trim();
