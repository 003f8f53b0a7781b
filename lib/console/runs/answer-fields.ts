// The fields of an answer, read from the JSON Schema of the question, and the answer that they give. Pure.
import { isObject } from '#lib/flow/format/json-value.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { isLongText } from '../parts/schema-control.ts';

export interface AnswerField {
  /** The JSON pointer of the value in the body of the request, without its first character and `body/`. */
  readonly name: string;
  /** The member of the answer; undefined where the field is the whole answer. */
  readonly member: string | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly control: 'text' | 'lines' | 'number' | 'integer' | 'boolean' | 'choice';
  readonly options: readonly Json[];
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly preset: Json | undefined;
}

const root = 'answer';

/** Undefined for a schema that needs more than fields: then the answer is written as JSON. */
export function listAnswerFields(schema: JsonObject): readonly AnswerField[] | undefined {
  if (schema.type !== 'object') {
    const field = toField(schema, undefined, true);
    return field && [field];
  }
  const { properties, required = [] } = schema;
  if (hasRules(schema) || !isObject(properties) || !Array.isArray(required)) return undefined;
  const names = Object.keys(properties);
  if (names.length === 0 || required.some((name) => !names.includes(String(name)))) return undefined;
  const fields = Object.entries(properties).flatMap(([name, each]) => {
    const field = isObject(each) ? toField(each, name, required.includes(name)) : undefined;
    return field ? [field] : [];
  });
  return fields.length === names.length ? fields : undefined;
}

function toField(
  schema: JsonObject,
  member: string | undefined,
  isRequired: boolean,
): AnswerField | undefined {
  const control = findControl(schema, member === undefined);
  if (!control || hasRules(schema)) return undefined;
  return {
    name: member === undefined ? root : `${root}${pointerTo([member])}`,
    member,
    title: readText(schema.title),
    description: readText(schema.description),
    isRequired,
    control,
    options: Array.isArray(schema.enum) ? schema.enum : [],
    min: typeof schema.minimum === 'number' ? schema.minimum : undefined,
    max: typeof schema.maximum === 'number' ? schema.maximum : undefined,
    preset: schema.default,
  };
}

/** Keywords with which the fields would not say what is expected. */
const rules = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'const'];
const hasRules = (schema: JsonObject): boolean => rules.some((name) => Object.hasOwn(schema, name));

function findControl(schema: JsonObject, isWhole: boolean): AnswerField['control'] | undefined {
  const { type, enum: values, maxLength } = schema;
  if (Array.isArray(values)) return values.every(isScalar) && values.length > 0 ? 'choice' : undefined;
  if (type === 'boolean' || type === 'number' || type === 'integer') return type;
  if (type !== 'string') return undefined;
  const isLong = typeof maxLength === 'number' ? isLongText({ maxLength }) : isWhole;
  return isLong ? 'lines' : 'text';
}

const isScalar = (value: Json): boolean => value === null || typeof value !== 'object';
const readText = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Fields that are empty are left out of the answer. */
export function readFields(fields: readonly AnswerField[], read: (name: string) => string): Json {
  const [first] = fields;
  if (first?.member === undefined) return (first && readField(first, read(first.name))) ?? '';
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = readField(field, read(field.name));
      return value === undefined || field.member === undefined ? [] : [[field.member, value]];
    }),
  );
}

/** Booleans and choices are read from the number of their option, because texts of options can be equal. */
function readField(field: AnswerField, text: string): Json | undefined {
  if (text === '') return undefined;
  if (field.control === 'choice' || field.control === 'boolean') return listChoices(field)[Number(text)];
  return field.control === 'text' || field.control === 'lines' ? text : Number(text);
}

export const listChoices = ({ control, options }: AnswerField): readonly Json[] =>
  control === 'boolean' ? [true, false] : options;

/** What the field has at first, as `readField` reads it. */
export function presetText(field: AnswerField): string {
  const { control, preset } = field;
  if (preset === undefined) return '';
  if (control !== 'choice' && control !== 'boolean') return isScalar(preset) ? String(preset) : '';
  const at = listChoices(field).indexOf(preset);
  return at < 0 ? '' : String(at);
}

type Mistake = { readonly pointer: string; readonly detail: string };

const whole = `/body/${root}`;

/** The service reports what does not fit as sentences that begin with a JSON pointer within the answer. */
export const locateMistakes = (mistakes: readonly Mistake[]): readonly Mistake[] =>
  mistakes.flatMap(({ pointer, detail }) =>
    pointer === whole ? detail.split(/; (?=\/|the value: )/).map(locate) : [{ pointer, detail }],
  );

function locate(sentence: string): Mistake {
  const [, pointer, detail] = /^(\/.*?|the value): (.*)$/s.exec(sentence) ?? [];
  if (pointer === undefined || detail === undefined) return { pointer: whole, detail: sentence };
  return { pointer: pointer === 'the value' ? whole : `${whole}${pointer}`, detail };
}
