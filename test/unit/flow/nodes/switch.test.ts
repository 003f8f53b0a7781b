// The node type `switch`.
import { expect, test } from 'vitest';
import type { Json } from '#lib/json/json.ts';
import { runNodes } from '../scripted.ts';

const route = async (value: Json) =>
  await runNodes(
    {
      a: {
        type: 'switch',
        cases: [
          { when: '{{ state.value = 1 }}', next: 'one' },
          { when: ' {{ state.value }}\n', next: 'yes' },
          { when: '{{ $type(state.value) = "null" }}', next: 'nothing' },
        ],
        default: 'other',
      },
      ...Object.fromEntries(
        ['one', 'yes', 'nothing', 'other'].map((id) => [id, { type: 'end', output: { id } }]),
      ),
    },
    {},
    { flow: { state: { value } } },
  );

test.each([
  [1, 'one'],
  [true, 'yes'],
  [null, 'nothing'],
  [false, 'other'],
])('goes to the first case that is true: %j leads to %s', async (value, id) => {
  expect((await route(value)).outcome).toMatchObject({ response: { id } });
});

test('a condition that is no boolean fails instead of guessing', async () => {
  expect((await route('yes')).outcome).toMatchObject({
    status: 'failed',
    error: { code: 'switch.not_boolean', message: 'cases[1].when: expected true or false, got string.' },
  });
});

test('its output is the id it goes to', async () => {
  const { snapshots } = await route(1);
  expect(JSON.parse(snapshots[0] ?? '')).toMatchObject({ next: 'one', nodes: { a: 'one' } });
});
