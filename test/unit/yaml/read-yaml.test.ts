import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { readYaml } from '#lib/yaml/read-yaml.ts';
import { aliasesMax, tokensMax } from '#lib/yaml/tokens.ts';

function readValue(text: string): unknown {
  const read = readYaml(text);
  if (!read.isYaml) throw new Error(read.reason);
  return read.value;
}

describe('a document', () => {
  test.each([
    [
      'of the core schema',
      'a: 1\nb: [x, "y", null, ~, true, 1.5, 0o14]',
      { a: 1, b: ['x', 'y', null, null, true, 1.5, 12] },
    ],
    ['of YAML 1.2, where yes and times are text', 'a: yes\nb: 2026-11-21', { a: 'yes', b: '2026-11-21' }],
    ['with keys that look like numbers', '404: a\nnull: b', { 404: 'a', null: 'b' }],
    ['with texts over several lines', 'a: |\n  !x\n  %y\nb: >-\n  c\n  d\n', { a: '!x\n%y\n', b: 'c d' }],
    ['with an alias', 'a: &k {d: 1}\nb: *k', { a: { d: 1 }, b: { d: 1 } }],
    ['with an anchor that is set again', '- &a 1\n- *a\n- &a 2\n- *a', [1, 1, 2, 2]],
    ['with signs that need no quotes inside of a text', 'a: x!y & z*', { a: 'x!y & z*' }],
    ['with a byte order mark', '\u{feff}a: 1', { a: 1 }],
  ])('%s is read as JSON', (_what, text, value) => {
    expect(readValue(text)).toEqual(value);
  });

  test('of any JSON value has the same value in YAML, and JSON itself is YAML', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const json: unknown = JSON.parse(JSON.stringify(value));
        expect(readValue(stringify(json, { aliasDuplicateObjects: false }))).toEqual(json);
        expect(readValue(JSON.stringify(json))).toEqual(json);
      }),
      { numRuns: 300 },
    );
  });

  test('keeps a member named __proto__ as a member, which the checks of a request refuse', () => {
    const value = readValue('__proto__: {admin: true}');
    expect(Object.keys(Object(value))).toEqual(['__proto__']);
    expect(Reflect.get(Object(value), 'admin')).toBeUndefined();
  });
});

describe('a text is refused with its position, and its content is not quoted, if it', () => {
  const secret = 'hunter22';
  test.each([
    ['has a name twice', `a: 1\na: ${secret}`, 2, 1, 'the name "a", which is used twice'],
    ['has a tag', `a: !!js/function ${secret}`, 1, 4, 'tag'],
    ['has a directive', `%YAML 1.1\n---\na: ${secret}`, 1, 1, 'directive'],
    ['has an unquoted expression', 'nodes:\n  prompt: {{ input.message }}', 2, 12, 'in quotes'],
    ['has "name: value" twice in a line', `a: b: ${secret}`, 1, 4, 'quote the text'],
    ['is indented by a tab', `a:\n\tb: ${secret}`, 2, 1, 'tab'],
    ['is indented unevenly', 'a:\n    b: 1\n  c: 2', 3, 1, 'indented'],
    ['has an alias without an anchor', `a: *${secret}`, 1, 4, 'alias without an anchor'],
    ['has an alias inside of its own value', '- &a [*a]', 1, 7, 'inside its own value'],
    ['has two documents', `a: 1\n---\nb: ${secret}`, 2, 1, 'more than one document'],
    ['has a number that JSON does not have', 'a: .inf', 1, 4, 'number'],
    ['has an object as a name', '? [a]\n: 1', 1, 3, 'not a text'],
  ])('%s', (_what, text, line, column, said) => {
    const read = readYaml(text);
    expect(read).toMatchObject({ isYaml: false, position: { line, column } });
    const reason = read.isYaml ? '' : read.reason;
    expect(reason).toContain(said);
    expect(reason).not.toContain(secret);
  });

  test.each([
    ['expands to a billion values', billionLaughs(), 'once its aliases are followed'],
    ['repeats a long text by aliases', `a: &a ${'x'.repeat(100_000)}\nb: [${'*a, '.repeat(900)}]`, 'aliases'],
    ['has too many aliases', `- &a 1\n${'- *a\n'.repeat(aliasesMax)}`, `more than ${aliasesMax} anchors`],
    ['has too many tokens', 'a: 1\n'.repeat(tokensMax / 4), 'send such a document as JSON'],
    ['is nested too deep in brackets', '['.repeat(5_000), 'nested deeper'],
    ['is nested too deep in lists', '- '.repeat(5_000), 'nested'],
  ])('%s', (_what, text, said) => {
    const read = readYaml(text);
    expect(read.isYaml ? '' : read.reason).toContain(said);
  });
});

/** Nine levels of nine aliases each. */
function billionLaughs(): string {
  const lists = Array.from({ length: 9 }, (_, n) => {
    const item = n === 0 ? 'lol' : `*a${n - 1}`;
    return `a${n}: &a${n} [${Array.from({ length: 9 }, () => item).join(', ')}]`;
  });
  return lists.join('\n');
}

describe('a path', () => {
  const text = 'nodes:\n  a:\n    type: end\n  "b/c": &x\n    list: [1, {d: 2}]\n  e: *x\n';
  test.each([
    [['nodes', 'a', 'type'], 3, 5],
    [['nodes', 'b/c', 'list', '1', 'd'], 5, 16],
    [['nodes', 'e', 'list', '0'], 5, 12],
    [['nodes', 'a', 'next'], 2, 3],
    [['nodes', '__proto__', 'x'], 1, 1],
    [[], 1, 1],
  ])('%j is found at its name, or at what it would be in', (path, line, column) => {
    const read = readYaml(text);
    expect(read.isYaml && read.locate(path)).toEqual({ line, column });
  });
});
