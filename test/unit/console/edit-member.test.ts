import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { applyEdit, removeMember, setMember } from '#lib/console/editor/edit-member.ts';
import { jsonFormat } from '#lib/console/editor/json-format.ts';
import type { MemberPath, TextFormat } from '#lib/console/editor/text-format.ts';
import { yamlFormat } from '#lib/console/editor/yaml-format.ts';
import { isObject } from '#lib/flow/format/json-value.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';

function change(format: TextFormat, text: string, path: MemberPath, value: Json | undefined): string {
  const edit = value === undefined ? removeMember(format, text, path) : setMember(format, text, path, value);
  return edit ? applyEdit(text, edit) : 'refused';
}

describe('in JSON', () => {
  const text = `{
  "version": 1,
  "nodes": {
    "a": { "type": "llm",   "prompt": "Hi" },
    "b": {
      "type": "switch",
      "cases": [
        { "when": "{{ x }}", "next": "a" }
      ]
    }
  }
}
`;
  const json = (path: MemberPath, value: Json | undefined) => change(jsonFormat, text, path, value);

  test('a value is replaced, and nothing else', () => {
    expect(json(['nodes', 'a', 'prompt'], 'Ho')).toBe(text.replace('"Hi"', '"Ho"'));
  });

  test('a new member looks like the one before it', () => {
    expect(json(['nodes', 'a', 'next'], 'b')).toBe(text.replace('"Hi" }', '"Hi", "next": "b" }'));
    expect(json(['nodes', 'b', 'default'], 'a')).toBe(
      text.replace('      ]\n', '      ],\n      "default": "a"\n'),
    );
  });

  test('a new object has lines of its own where its siblings have', () => {
    expect(json(['nodes', 'c'], { type: 'end' })).toContain(
      '    },\n    "c": {\n      "type": "end"\n    }\n  }\n}\n',
    );
  });

  test('a member is removed with its comma', () => {
    expect(json(['nodes', 'a', 'prompt'], undefined)).toBe(text.replace(',   "prompt": "Hi"', ''));
    expect(json(['version'], undefined)).toBe(text.replace('"version": 1,\n  ', ''));
  });

  test('a text in one line stays in one', () => {
    expect(change(jsonFormat, '{"nodes":{}}', ['nodes', 'a'], { type: 'end' })).toBe(
      '{"nodes":{"a":{"type":"end"}}}',
    );
  });

  test('the text of a value is shown and written without its indentation', () => {
    const source = jsonFormat.sourceOf(text, ['nodes', 'b', 'cases']);
    expect(source).toBe('[\n  { "when": "{{ x }}", "next": "a" }\n]');
    const edit = setMember(jsonFormat, text, ['nodes', 'b', 'cases'], JSON.parse(source ?? ''), source);
    expect(edit && applyEdit(text, edit)).toBe(text);
  });
});

describe('in YAML', () => {
  const text = `# The flow of refunds.
version: 1
nodes:
  # Asks a model.
  a:
    type: llm # cheap
    prompt: |
      Hello,
        you.
    system: 'Be brief.'   # in quotes

  b: { type: switch, cases: [{ when: "{{ x }}", next: a }] } # in one line
  c:
    type: parallel
    join: all
    catch:
      # The first.
      - on: [timeout]
        next: a
`;
  const yaml = (path: MemberPath, value: Json | undefined) => change(yamlFormat, text, path, value);

  test('a value is replaced, and comments, quotes and order stay', () => {
    expect(yaml(['nodes', 'a', 'type'], 'agent')).toBe(text.replace('llm # cheap', 'agent # cheap'));
    expect(yaml(['nodes', 'a', 'system'], '{{ state.system }}')).toBe(
      text.replace("'Be brief.'   #", '"{{ state.system }}"   #'),
    );
    expect(yaml(['nodes', 'b', 'type'], 'end')).toBe(text.replace('type: switch', 'type: end'));
  });

  test('a text of several lines is written in lines', () => {
    expect(yaml(['nodes', 'a', 'prompt'], 'One,\n  two.\n')).toBe(
      text.replace('      Hello,\n        you.\n', '      One,\n        two.\n'),
    );
    expect(yaml(['nodes', 'a', 'prompt'], 'One')).toBe(text.replace(/\|\n {6}Hello,\n {8}you\./, 'One'));
    expect(yaml(['nodes', 'a', 'system'], 'a\nb\n')).toContain('    system: "a\\nb\\n"   # in quotes\n');
  });

  test('a new member comes after the others, with their indentation', () => {
    expect(yaml(['nodes', 'a', 'next'], 'b')).toBe(
      text.replace('# in quotes\n', '# in quotes\n    next: b\n'),
    );
    expect(yaml(['nodes', 'b', 'default'], 'c')).toBe(text.replace('a }] }', 'a }], "default": "c" }'));
    expect(yaml(['nodes', 'd'], { type: 'end' })).toBe(`${text}  d:\n    type: end\n`);
  });

  test('a member is removed with its line', () => {
    expect(yaml(['nodes', 'a', 'type'], undefined)).toBe(text.replace('    type: llm # cheap\n', ''));
    expect(yaml(['nodes', 'b', 'type'], undefined)).toBe(text.replace('type: switch, ', ''));
    expect(yaml(['nodes', 'c'], undefined)).toBe(text.slice(0, text.indexOf('  c:')));
  });

  test('the text of a value keeps its comments', () => {
    const source = yamlFormat.sourceOf(text, ['nodes', 'c', 'catch']);
    expect(source).toBe('- on: [timeout]\n  next: a');
    const wider = `${source}\n# The last.\n- on: ["*"]\n  next: b`;
    const value = yamlFormat.read(wider) ?? null;
    const edit = setMember(yamlFormat, text, ['nodes', 'c', 'catch'], value, wider);
    expect(edit && applyEdit(text, edit)).toBe(
      `${text}      # The last.\n      - on: ["*"]\n        next: b\n`,
    );
  });

  test('a value that another place repeats by an alias is not changed behind its back', () => {
    const repeated = 'state: &s { x: 1 }\nother: *s\n';
    expect(change(yamlFormat, repeated, ['state', 'x'], 2)).toBe('refused');
    expect(change(yamlFormat, repeated, ['other'], 2)).toBe('state: &s { x: 1 }\nother: 2\n');
  });
});

const names = fc.constantFrom('a', 'b', 'type', 'next', 'x y', '1', 'null', '#', 'é', 'on: x');
const scalars = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    '{{ nodes.a }}',
    'one\ntwo',
    'one\n\n  two\n',
    '- x',
    '# no',
    'true',
    "it's",
    '"',
    'a: b',
    ' x ',
    '\n',
  ),
);
const { value: values } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(names, tie('value'), { maxKeys: 4 }),
}));
const documents = fc.dictionary(names, values, { minKeys: 2, maxKeys: 4 });

/** The layouts in which people write, by a number. */
const jsonTexts = (value: JsonObject): readonly string[] => [
  JSON.stringify(value),
  `${JSON.stringify(value, undefined, 2)}\n`,
  JSON.stringify(value, undefined, '\t').replaceAll('\n', '\r\n'),
  JSON.stringify(value, undefined, 1).replaceAll(/\n\s*/g, ' '),
];
const yamlTexts = (value: JsonObject): readonly string[] => [
  stringify(value, { lineWidth: 0 }),
  stringify(value, { indent: 4, indentSeq: false, defaultStringType: 'QUOTE_DOUBLE' }),
  stringify(value, { collectionStyle: 'flow' }),
  stringify(value, { lineWidth: 20 }).replaceAll('\n', '\r\n'),
  withComments(
    stringify(value, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' }),
  ),
];
/** Above and after each line: without texts in lines of their own, which would take them for text. */
const withComments = (text: string): string =>
  text.replaceAll(/^( *)(.*)$/gm, (line, indent: string, rest: string) =>
    rest === '' ? line : `${indent}# above\n${line} # after`,
  );

/** The paths of all members of objects. */
const listPaths = (value: Json): string[][] =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, inner]) => [
        [name],
        ...listPaths(inner).map((path) => [name, ...path]),
      ])
    : [];

const withValue = (value: Json, [name = '', ...rest]: MemberPath, member: Json | undefined): JsonObject => {
  const object = isObject(value) ? value : {};
  const inner = rest.length > 0 ? withValue(object[name] ?? {}, rest, member) : member;
  const { [name]: _, ...others } = object;
  return inner === undefined ? others : { ...object, [name]: inner };
};

describe.each([
  ['JSON', jsonFormat, jsonTexts],
  ['YAML', yamlFormat, yamlTexts],
] as const)('whatever is written in %s', (_name, format, listTexts) => {
  const cases = fc.record({
    value: documents,
    layout: fc.nat(4),
    at: fc.nat(),
    member: values,
    kind: fc.nat(2),
  });

  test('an edit gives exactly the new value, and changes the text of that member only', () => {
    fc.assert(
      fc.property(cases, ({ value, layout, at, member, kind }) => {
        const texts = listTexts(value);
        const text = texts[layout % texts.length] ?? '';
        fc.pre(JSON.stringify(format.read(text)) === JSON.stringify(value));
        const paths = listPaths(value);
        const found = paths[at % paths.length] ?? [];
        const path = kind === 1 ? [...found.slice(0, -1), 'brand new'] : found;
        const wanted = kind === 2 ? undefined : member;
        const edit =
          wanted === undefined ? removeMember(format, text, path) : setMember(format, text, path, wanted);
        expect(edit).toBeDefined();
        if (!edit) return;
        const changed = applyEdit(text, edit);
        expect(format.read(changed)).toEqual(withValue(value, path, wanted));
        expect(changed.slice(0, edit.from)).toBe(text.slice(0, edit.from));
        for (const other of paths.filter((each) => !overlaps(each, path)))
          expect(format.sourceOf(changed, other)).toBe(format.sourceOf(text, other));
      }),
      { numRuns: 150 },
    );
  });
});

const overlaps = (a: MemberPath, b: MemberPath): boolean => {
  const length = Math.min(a.length, b.length);
  return a.slice(0, length).join('\0') === b.slice(0, length).join('\0');
};
