// How long the check of a flow may take, whatever stands in its 2 MB: CPU time of the thread, and the best of
// three, since a busy machine makes every step longer. On one of its own none takes more than a second.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { knownFlows, shapes } from '#test/support/hostile-flows.ts';
import { seed } from '#test/support/seed.ts';

const cpuMsMax = 2_000;
console.log(`SEED=${seed}`);

function checkedIn(flow: JsonObject) {
  let ms = Number.POSITIVE_INFINITY;
  let checked = checkFlow(undefined);
  for (let tries = 0; tries < 3 && ms > cpuMsMax; tries++) {
    const before = process.threadCpuUsage();
    checked = checkFlow(flow);
    const { user, system } = process.threadCpuUsage(before);
    ms = (user + system) / 1000;
  }
  return { checked, ms };
}

test.each(Object.entries(knownFlows))('%s: refused with a pointer, in bounded time', (_name, make) => {
  const { checked, ms } = checkedIn(make());
  expect(ms).toBeLessThan(cpuMsMax);
  expect(checked.ok).toBe(false);
  const last = checked.ok ? undefined : checked.errors.at(-1);
  expect(last?.pointer).toMatch(/^\/(nodes|input)/);
});

test.each(Object.entries(shapes))(
  'a flow full of %s is checked in bounded time, and what is said of it is short',
  (_name, make) => {
    const { checked, ms } = checkedIn(make(1));
    expect(ms).toBeLessThan(cpuMsMax);
    const said = checked.ok ? checked.warnings : checked.errors;
    expect(said.length).toBeLessThanOrEqual(100);
    expect(JSON.stringify(said).length).toBeLessThan(64 * 1024);
  },
);

test('a hundred tools whose schemas repeat the pattern of an id are no more work than one', () => {
  const names = Array.from({ length: 10 }, (_, n) => `id_${n}`);
  const id = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' };
  const tools = Array.from({ length: 100 }, (_, n) => ({
    name: `tool_${n}`,
    description: 'Reads an order.',
    parameters: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, id])) },
    http: { url: 'https://api.example.com/orders/{{ args.id_0 }}' },
  }));
  const nodes = { help: { type: 'agent', instructions: 'Help.', tools } };
  const flow = { version: 1, name: 'Tools', egress: ['api.example.com'], start: 'help', nodes };
  expect(checkFlow(flow)).toMatchObject({ ok: true });
});

const fragments = fc.constantFrom(
  ...[
    'a',
    '.',
    'a.',
    '%.',
    '**.',
    '1',
    '+',
    '-',
    '&',
    '?',
    ':',
    '??',
    '?:',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '"',
    '`',
    '/',
    '\\',
    ',',
    ';',
  ],
  ...[
    '$f(',
    '$a:=',
    ' and ',
    ' in ',
    '~>',
    '^(',
    '@$x',
    '#$i',
    '/a/',
    '/\\p{L}{99}/',
    'function($a){',
    '*',
    '..',
    '"a":',
    '{{',
    '}}',
    ' ',
    '/*',
    '*/',
  ],
);

/** Expressions of fragments that are repeated, each so often that the flow is about as large as it may be. */
const generated = fc
  .array(fc.tuple(fc.array(fragments, { minLength: 1, maxLength: 5 }), fc.constantFrom(1, 5, 50, 1_000)), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) =>
    parts
      .map(([texts, times]) => texts.join('').repeat(times))
      .join('')
      .slice(0, 5_100),
  )
  .map((source): JsonObject => {
    const text = `{{ ${source} }}`;
    const output = Array.from(
      { length: Math.min(5_000, Math.floor(1_900_000 / (text.length + 3))) },
      () => text,
    );
    return { version: 1, name: 'Generated', start: 'a', nodes: { a: { type: 'transform', output } } };
  });

test('generated expressions, as many as a flow may have, are checked in bounded time', () => {
  fc.assert(
    fc.property(generated, (flow) => checkedIn(flow).ms < cpuMsMax),
    { numRuns: 25, seed, endOnFailure: true },
  );
});

test('shapes of all kinds, each at a part of its size, are checked in bounded time together', () => {
  const some = fc.uniqueArray(fc.constantFrom(...Object.keys(shapes)), { minLength: 2, maxLength: 4 });
  fc.assert(
    fc.property(some, (names) => {
      const flows = names.map((name) => shapes[name]?.(1 / names.length) ?? {});
      return flows.reduce((ms, flow) => ms + checkedIn(flow).ms, 0) < cpuMsMax + 500;
    }),
    { numRuns: 15, seed, endOnFailure: true },
  );
});
