// Compiles a JSON value with `{{ }}` in its strings into a function of the scope. Templates come from the flow alone; data is never evaluated.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { isList, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { hasTemplate, segmentsOf, wholeExpression } from '../format/template-segments.ts';
import { expression } from './evaluate.ts';
import type { Evaluate, RenderAt } from './evaluation.ts';
import { asText } from './text.ts';

/** A promise only where the full language was needed. */
export type Render = (at: RenderAt) => Json | Promise<Json>;

/** A missing value is null as a value and nothing inside text. Parts without expressions are returned as they are, not copied. */
export function template(value: Json): Render {
  if (typeof value === 'string') return textTemplate(value, asText);
  if (isList(value)) return listTemplate(value);
  if (isObject(value)) return objectTemplate(value);
  return () => value;
}

/** Values are percent-encoded, so that data can never change the structure of the URL; a missing value is an error. */
export const urlTemplate = (url: string): Render =>
  joined(
    segmentsOf(url).map((part) =>
      'text' in part ? part.text : { expression: part.expression, run: expression(part.expression) },
    ),
    (value, source) => {
      // Half of a character, which data can have, has no encoding.
      if (value !== null && value !== '') return encodeURIComponent(asText(value).toWellFormed());
      throw new NodeError('expression.missing', `url: {{ ${source} }} has no value.`);
    },
  );

/** Whether any string inside holds an expression. */
function isTemplate(value: Json): boolean {
  if (typeof value === 'string') return hasTemplate(value);
  if (isList(value)) return value.some(isTemplate);
  return isObject(value) && Object.values(value).some(isTemplate);
}

function textTemplate(text: string, show: (value: Json) => string): Render {
  if (!hasTemplate(text)) return () => text;
  const whole = wholeExpression(text);
  if (whole !== undefined) return expression(whole);
  const parts = segmentsOf(text).map((part) =>
    'text' in part ? part.text : { expression: part.expression, run: expression(part.expression) },
  );
  return joined(parts, show);
}

type Part = string | { readonly expression: string; readonly run: Evaluate };
type Show = (value: Json, source: string) => string;

function joined(parts: readonly Part[], show: Show): Render {
  return (at) => {
    let text = '';
    for (const [index, part] of parts.entries()) {
      const value = typeof part === 'string' ? part : part.run(at);
      if (value instanceof Promise) return slowlyJoined(parts.slice(index), { text, value, show, at });
      text = bounded(text + shown(part, value, show));
    }
    return counted(text, at);
  };
}

const shown = (part: Part | undefined, value: Json, show: Show) =>
  typeof part === 'object' ? show(value, part.expression) : asText(value);

interface Begun {
  /** Of the parts before. */
  readonly text: string;
  /** Of the first part, which is on its way. */
  readonly value: Promise<Json>;
  readonly show: Show;
  readonly at: RenderAt;
}

/** One after the other, so that the time bound is looked at between them. */
async function slowlyJoined([first, ...rest]: readonly Part[], { text, value, show, at }: Begun) {
  let joined = bounded(text + shown(first, await value, show));
  for (const part of rest)
    joined = bounded(joined + (typeof part === 'string' ? part : shown(part, await part.run(at), show)));
  return counted(joined, at);
}

function counted(text: string, at: RenderAt): string {
  at.made += text.length;
  if (at.made <= limits.valueWeightMax) return text;
  throw new NodeError(
    'expression.too_large',
    `Expected texts of at most ${limits.valueWeightMax} characters in all.`,
  );
}

function bounded(text: string): string {
  if (text.length <= limits.textCharsMax) return text;
  throw new NodeError(
    'expression.too_large',
    `Expected a text of at most ${limits.textCharsMax} characters.`,
  );
}

function listTemplate(list: readonly Json[]): Render {
  if (!isTemplate(list)) return () => list;
  const items = list.map(template);
  return (at) => collected(items, at);
}

function objectTemplate(object: JsonObject): Render {
  if (!isTemplate(object)) return () => object;
  const keys = Object.keys(object);
  const render = keys.map((key) => template(object[key] ?? null));
  return (at) => {
    const values = collected(render, at);
    return values instanceof Promise ? values.then((ready) => zipped(keys, ready)) : zipped(keys, values);
  };
}

/** Keys come from the flow, where hostile ones are refused. */
function zipped(keys: readonly string[], values: readonly Json[]): JsonObject {
  const object: Record<string, Json> = {};
  for (let index = 0; index < keys.length; index++) object[keys[index] ?? ''] = values[index] ?? null;
  return object;
}

function collected(items: readonly Render[], at: RenderAt): Json[] | Promise<Json[]> {
  const values: Json[] = [];
  for (let index = 0; index < items.length; index++) {
    const value = items[index]?.(at) ?? null;
    if (value instanceof Promise) return slowlyCollected(items, index, values, value, at);
    values.push(value);
  }
  return values;
}

async function slowlyCollected(
  items: readonly Render[],
  from: number,
  ready: readonly Json[],
  first: Promise<Json>,
  at: RenderAt,
): Promise<Json[]> {
  const values = [...ready, await first];
  let bytes = jsonBytes(values, limits.valueWeightMax);
  for (const item of items.slice(from + 1)) {
    const value = await item(at);
    bytes += jsonBytes(value, limits.valueWeightMax);
    if (bytes > limits.valueWeightMax) {
      throw new NodeError(
        'expression.too_large',
        `Expected a value of at most ${limits.valueWeightMax} bytes.`,
      );
    }
    values.push(value);
  }
  return values;
}
