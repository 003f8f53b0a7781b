// Compiles a JSON value with `{{ }}` in its strings into a function of the scope. Only the flow contains
// templates; data is never evaluated.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { isList, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { hasTemplate, onlyExpression, parseSegments, wholeExpression } from '../format/template-segments.ts';
import { expression } from './evaluate.ts';
import type { Evaluate, RenderAt } from './evaluation.ts';
import { asText } from './text.ts';

/** Returns a promise only if an expression is more than a bare path. */
export type Render = (at: RenderAt) => Json | Promise<Json>;

/**
 * A missing value becomes null, and nothing inside text. Parts without expressions are returned as they are,
 * not copied.
 */
export function template(value: Json): Render {
  if (typeof value === 'string') return textTemplate(value, asText);
  if (isList(value)) return listTemplate(value);
  if (isObject(value)) return objectTemplate(value);
  return () => value;
}

/**
 * For a field whose value is not meant to be text: white space around its only expression does not make it
 * text.
 */
export const typedTemplate = (value: Json): Render => template(trimExpression(value));

export const trimExpression = <T extends Json | undefined>(value: T): T | string =>
  typeof value === 'string' && wholeExpression(value) !== undefined ? value.trim() : value;

/**
 * Values are percent-encoded, so that data cannot change the structure of the URL. A missing value is an
 * error.
 */
export const urlTemplate = (url: string): Render => encodedTemplate('url', url, encodeURIComponent);

/** The same for a path whose values may have several segments. */
export const pathTemplate = (path: string): Render =>
  encodedTemplate('path', path, (text) => text.split('/').map(encodeURIComponent).join('/'));

const encodedTemplate = (field: string, template: string, encode: (text: string) => string): Render =>
  joinParts(
    parseSegments(template).map((part) =>
      'text' in part ? part.text : { expression: part.expression, run: expression(part.expression) },
    ),
    (value, source) => {
      // Half of a surrogate pair, which data can contain, cannot be percent-encoded.
      if (value !== null && value !== '') return encode(asText(value).toWellFormed());
      throw new NodeError('expression.missing', `${field}: {{ ${source} }} has no value.`);
    },
  );

/** Whether any string in the value has an expression. */
function isTemplate(value: Json): boolean {
  if (typeof value === 'string') return hasTemplate(value);
  if (isList(value)) return value.some(isTemplate);
  return isObject(value) && Object.values(value).some(isTemplate);
}

function textTemplate(text: string, show: (value: Json) => string): Render {
  if (!hasTemplate(text)) return () => text;
  const whole = onlyExpression(text);
  if (whole !== undefined) return expression(whole);
  const parts = parseSegments(text).map((part) =>
    'text' in part ? part.text : { expression: part.expression, run: expression(part.expression) },
  );
  return joinParts(parts, show);
}

type TextPart = string | { readonly expression: string; readonly run: Evaluate };
type Show = (value: Json, source: string) => string;

function joinParts(parts: readonly TextPart[], show: Show): Render {
  return (at) => {
    let text = '';
    for (const [index, part] of parts.entries()) {
      const value = typeof part === 'string' ? part : part.run(at);
      if (value instanceof Promise) return joinAsync(parts.slice(index), { text, value, show, at });
      text = checkLength(text + showPart(part, value, show));
    }
    return countText(text, at);
  };
}

const showPart = (part: TextPart | undefined, value: Json, show: Show) =>
  typeof part === 'object' ? show(value, part.expression) : asText(value);

interface UnfinishedText {
  /** The text of the parts before. */
  readonly text: string;
  /** The pending value of the first part. */
  readonly value: Promise<Json>;
  readonly show: Show;
  readonly at: RenderAt;
}

/** Evaluates one part after the other, so that the time limit is checked between them. */
async function joinAsync([first, ...rest]: readonly TextPart[], { text, value, show, at }: UnfinishedText) {
  let joined = checkLength(text + showPart(first, await value, show));
  for (const part of rest)
    joined = checkLength(
      joined + (typeof part === 'string' ? part : showPart(part, await part.run(at), show)),
    );
  return countText(joined, at);
}

function countText(text: string, at: RenderAt): string {
  at.made += text.length;
  if (at.made <= limits.valueSizeMax) return text;
  throw new NodeError(
    'expression.too_large',
    `Expected texts of at most ${limits.valueSizeMax} characters in all.`,
  );
}

function checkLength(text: string): string {
  if (text.length <= limits.textCharsMax) return text;
  throw new NodeError(
    'expression.too_large',
    `Expected a text of at most ${limits.textCharsMax} characters.`,
  );
}

function listTemplate(list: readonly Json[]): Render {
  if (!isTemplate(list)) return () => list;
  const items = list.map(template);
  return (at) => renderItems(items, at);
}

function objectTemplate(object: JsonObject): Render {
  if (!isTemplate(object)) return () => object;
  const keys = Object.keys(object);
  const render = keys.map((key) => template(object[key] ?? null));
  return (at) => {
    const values = renderItems(render, at);
    return values instanceof Promise ? values.then((ready) => zip(keys, ready)) : zip(keys, values);
  };
}

/** The keys come from the flow, in which `__proto__` and the like are refused. */
function zip(keys: readonly string[], values: readonly Json[]): JsonObject {
  const object: Record<string, Json> = {};
  for (let index = 0; index < keys.length; index++) object[keys[index] ?? ''] = values[index] ?? null;
  return object;
}

function renderItems(items: readonly Render[], at: RenderAt): Json[] | Promise<Json[]> {
  const values: Json[] = [];
  for (let index = 0; index < items.length; index++) {
    const value = items[index]?.(at) ?? null;
    if (value instanceof Promise) return renderItemsAsync(items, index, values, value, at);
    values.push(value);
  }
  return values;
}

async function renderItemsAsync(
  items: readonly Render[],
  from: number,
  done: readonly Json[],
  first: Promise<Json>,
  at: RenderAt,
): Promise<Json[]> {
  const values = [...done, await first];
  let bytes = jsonBytes(values, limits.valueSizeMax);
  for (const item of items.slice(from + 1)) {
    const value = await item(at);
    bytes += jsonBytes(value, limits.valueSizeMax);
    if (bytes > limits.valueSizeMax) {
      throw new NodeError(
        'expression.too_large',
        `Expected a value of at most ${limits.valueSizeMax} bytes.`,
      );
    }
    values.push(value);
  }
  return values;
}
