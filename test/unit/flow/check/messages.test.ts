// What the check of a flow says about names and expressions that are too long to be shown whole.
import { expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import type { JsonObject } from '#lib/json/json.ts';

const flowOf = (node: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...{ version: 1, name: 'Long', start: 'a', nodes: { a: node } },
  ...more,
});

const cases: readonly (readonly [string, (text: string) => JsonObject])[] = [
  [
    'an expression with an unknown name',
    (text) => flowOf({ type: 'transform', output: `{{ "${text}" & $no }}` }),
  ],
  ['an expression that does not parse', (text) => flowOf({ type: 'transform', output: `{{ "${text}" + }}` })],
  ['the id of a next node', (text) => flowOf({ type: 'transform', output: 1, next: text })],
  ['a node type', (text) => flowOf({ type: text })],
  [
    'the node of a mock',
    (text) =>
      flowOf(
        { type: 'end' },
        { tests: [{ input: {}, expect: '{{ true }}', mocks: { [text]: { output: 1 } } }] },
      ),
  ],
  ['a keyword of a schema', (text) => flowOf({ type: 'end' }, { input: { [text]: 1 } })],
];

test.each(cases)('a message that shows the beginning of %s is not cut inside a character', (_what, make) => {
  for (const lead of ['', 'n']) {
    const checked = checkFlow(make(`${lead}${'😀'.repeat(300)}`));
    const errors = checked.ok ? [] : checked.errors;
    expect(errors.length).toBeGreaterThan(0);
    for (const { detail } of errors) expect(detail).not.toMatch(/\uFFFD|\\ud/);
  }
});

test('a template literal of JavaScript is answered with how texts are joined', () => {
  const source = `\`a $\{state.xs}\``;
  const checked = checkFlow(flowOf({ type: 'transform', output: `{{ ${source} }}` }));
  expect(checked).toMatchObject({
    ok: false,
    errors: [
      {
        pointer: '/nodes/a/output',
        detail: `unknown name "a $\{state.xs}": backticks quote a name, and \`$\{…}\` is not filled in: texts are joined by \`&\`, such as \`"Hello " & input.message\``,
      },
    ],
  });
});
