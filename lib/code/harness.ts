// The JavaScript that calls the code of an author, inside the interpreter. It keeps its own references to what it
// uses, since the code may replace any global value or method.

/** The first character of what the harness returns. */
export const tags = {
  output: 'O',
  syntax: 'S',
  threw: 'T',
  threwNull: 'N',
  memory: 'M',
  invalidOutput: 'I',
} as const;

/** Separates the message of an error from its stack. Not NUL, at which the host would stop reading. */
export const separator = '\u0001';

/** Lines that precede the code in the function that the interpreter compiles. */
export const linesBefore = 3;

/**
 * A function of the code and the JSON of its input. It returns a tag and a text, which is all that the host reads of
 * the interpreter: joined from strings, because methods such as `toJSON` of an array may be those of the code.
 */
export const harness = `(() => {
const { parse, stringify } = JSON, { isFinite } = Number, { isArray } = Array;
const Compile = Function, text = String, Thrown = Error, Internal = InternalError, Type = TypeError;
const unfit = [[Promise, 'a promise, and nothing in the code is asynchronous'], [Map, 'a Map'], [Set, 'a Set']];
class Unfit { constructor(detail) { this.detail = detail; } }
const check = (key, value) => {
  const type = typeof value;
  if (type === 'function' || type === 'symbol' || type === 'bigint' || (type === 'number' && !isFinite(value)))
    throw new Unfit(type === 'number' ? text(value) : 'a ' + type);
  if (type === 'object' && value !== null)
    for (let i = 0; i < 3; i++) if (value instanceof unfit[i][0]) throw new Unfit(unfit[i][1]);
  return value;
};
// Only for a value that is unfit: with the objects around each value, which are linked because methods of arrays may
// be those of the code.
const findField = (output) => {
  let around, path = '';
  try {
    stringify(output, function (key, value) {
      while (around !== undefined && around.value !== this) around = around.up;
      path = around === undefined ? '' : isArray(this) ? around.path + '[' + key + ']' : around.path === '' ? key : around.path + '.' + key;
      check(key, value);
      if (typeof value === 'object' && value !== null) around = { value, path, up: around };
      return value;
    });
  } catch (error) { if (error instanceof Unfit) return path; }
  return '';
};
const show = (value) => {
  try { return text(typeof value === 'object' ? stringify(value) : value); } catch { return 'a value'; }
};
const describe = (tag, error) => {
  if (error === null) return '${tags.threwNull}';
  try {
    if (!(error instanceof Thrown)) return tag + show(error) + '${separator}';
    const { name, message, stack } = error;
    if (error instanceof Internal && message === 'out of memory') return '${tags.memory}';
    return tag + text(name) + ': ' + text(message) + '${separator}' + text(stack);
  } catch { return tag + 'an error that cannot be shown${separator}'; }
};
const compile = (code) => {
  try { return [new Compile('input', '"use strict";\\n' + code)]; } catch (error) { return describe('${tags.syntax}', error); }
};
const write = (output) => {
  try {
    const json = stringify(output, check);
    return json === undefined ? '${tags.invalidOutput}It is undefined: the code has no "return" with a value' : '${tags.output}' + json;
  } catch (error) {
    if (error instanceof Unfit) {
      const field = findField(output);
      return '${tags.invalidOutput}' + (field === '' ? 'It' : 'The field "' + field + '"') + ' is ' + error.detail;
    }
    if (error instanceof Type && error.message === 'circular reference') return '${tags.invalidOutput}It contains itself';
    if (error instanceof Internal && error.message === 'stack overflow') return '${tags.invalidOutput}It is nested too deeply';
    return describe('${tags.threw}', error);
  }
};
return (code, input) => {
  const compiled = compile(code);
  if (typeof compiled === 'string') return compiled;
  const [run] = compiled;
  let output;
  try { output = run(parse(input)); } catch (error) { return describe('${tags.threw}', error); }
  return write(output);
};
})()`;
