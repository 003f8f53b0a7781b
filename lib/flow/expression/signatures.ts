// The types of the arguments of each function, as JSONata writes them: for the check, which refuses nothing that a run
// would accept. `test/unit/flow/expression/signatures.test.ts` compares them with those of the library.
import { ownSignatures } from './built-ins.ts';

const ofJsonata: Readonly<Record<string, string>> = {
  sum: '<a<n>:n>',
  count: '<a:n>',
  max: '<a<n>:n>',
  min: '<a<n>:n>',
  average: '<a<n>:n>',
  string: '<x-b?:s>',
  substring: '<s-nn?:s>',
  substringBefore: '<s-s:s>',
  substringAfter: '<s-s:s>',
  lowercase: '<s-:s>',
  uppercase: '<s-:s>',
  length: '<s-:n>',
  trim: '<s-:s>',
  pad: '<s-ns?:s>',
  match: '<s-f<s:o>n?:a<o>>',
  contains: '<s-(sf):b>',
  replace: '<s-(sf)(sf)n?:s>',
  split: '<s-(sf)n?:a<s>>',
  join: '<a<s>s?:s>',
  formatBase: '<n-n?:s>',
  formatNumber: '<n-so?:s>',
  formatInteger: '<n-s:s>',
  parseInteger: '<s-s:n>',
  number: '<(nsb)-:n>',
  floor: '<n-:n>',
  ceil: '<n-:n>',
  round: '<n-n?:n>',
  abs: '<n-:n>',
  sqrt: '<n-:n>',
  power: '<n-n:n>',
  boolean: '<x-:b>',
  not: '<x-:b>',
  map: '<af>',
  zip: '<a+>',
  filter: '<af>',
  single: '<af?>',
  reduce: '<afj?:j>',
  sift: '<o-f?:o>',
  keys: '<x-:a<s>>',
  lookup: '<x-s:x>',
  append: '<xx:a>',
  exists: '<x:b>',
  spread: '<x-:a<o>>',
  merge: '<a<o>:o>',
  reverse: '<a:a>',
  each: '<o-f:a>',
  error: '<s?:x>',
  assert: '<bs?:x>',
  type: '<x:s>',
  sort: '<af?:a>',
  distinct: '<x:x>',
  base64encode: '<s-:s>',
  base64decode: '<s-:s>',
  encodeUrlComponent: '<s-:s>',
  encodeUrl: '<s-:s>',
  decodeUrlComponent: '<s-:s>',
  decodeUrl: '<s-:s>',
};

export const signatures: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...ofJsonata, ...ownSignatures }),
);

export interface Arity {
  readonly min: number;
  /** Infinity for a function that takes any number. */
  readonly max: number;
  /** Readable: `$pad(text, number, [text])`. */
  readonly text: string;
}

/** Undefined if there is no such function. An argument that may come from the context (`-`) is not required. */
export function readArity(name: string): Arity | undefined {
  const signature = signatures.get(name);
  if (signature === undefined) return undefined;
  // `<s-f<s:o>n?:a<o>>`: the types inside lists and functions, and the type of the result, are of no interest.
  const [params = ''] = signature
    .slice(1, -1)
    .replaceAll(/<[^<>]*>/g, '')
    .split(':');
  const all = [...params.matchAll(/(\([a-z]+\)|[a-z])([-?+]?)/g)];
  const isEndless = all.some(([, , sign]) => sign === '+');
  return {
    min: all.filter(([, , sign]) => sign !== '-' && sign !== '?').length,
    max: isEndless ? Number.POSITIVE_INFINITY : all.length,
    text: `$${name}(${all.map(([, types = '', sign = '']) => describe(types, sign)).join(', ')})`,
  };
}

function describe(types: string, sign: string): string {
  const text = types
    .replace(/[()]/g, '')
    .split('')
    .map((type) => typeNames[type] ?? 'value')
    .join(' or ');
  if (sign === '?') return `[${text}]`;
  return sign === '+' ? `${text}, …` : text;
}

const typeNames: Readonly<Record<string, string>> = {
  s: 'text',
  n: 'number',
  b: 'boolean',
  a: 'list',
  o: 'object',
  f: 'function',
};
