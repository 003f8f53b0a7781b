// What to call instead of functions and methods of JavaScript.
import { callableNames } from '../expression/built-ins.ts';

const functions: Readonly<Record<string, string>> = {
  toUpperCase: '$uppercase',
  toLowerCase: '$lowercase',
  includes: '$contains',
  replaceAll: '$replace',
  slice: '$substring',
  substr: '$substring',
  toString: '$string',
  stringify: '$string',
  toFixed: '$formatNumber',
  concat: '$append',
  push: '$append',
  parseInt: '$number',
  parseFloat: '$number',
};

/** The function for a method of that name. */
export function describeFunction(name: string): string {
  const meant = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (meant !== undefined) return `\`${meant}(…)\``;
  return callableNames.includes(name) ? `\`$${name}(…)\`` : 'a function of JSONata, such as `$uppercase(…)`';
}

const objects: Readonly<Record<string, string>> = {
  JSON: '`$parse(…)` to read JSON, `$string(…)` to write it',
  Math: 'a function such as `$round(…)`, `$floor(…)`, `$max(…)` or `$random()`',
  Date: '`$now()` or `$millis()`',
  Object: '`$keys(…)`, `$spread(…)` or `$merge(…)`',
  Number: '`$number(…)`',
  String: '`$string(…)`',
  Array: '`$type(…) = "array"`, or `$append(…)`',
};

/** What replaces a global object; undefined if the name is none. */
export const findObjectCure = (name: string): string | undefined =>
  Object.hasOwn(objects, name) ? objects[name] : undefined;
