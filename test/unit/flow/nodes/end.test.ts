import { expect, test } from 'vitest';
import { runNodes } from '../scripted.ts';

const base64 = Buffer.from('a,b\n').toString('base64');

test('end gives the response', async () => {
  const { outcome } = await runNodes({ a: { type: 'end', output: '{{ {"a": 1} }}' } });
  expect(outcome).toEqual({ status: 'completed', response: { a: 1 } });
});

test.each([
  ['{{ [1] }}', 'an array'],
  ['{{ state.nothing }}', 'nothing'],
  ['{{ "x" }}', 'a string'],
])('end with output %s fails, because the response is an object', async (output, got) => {
  const { outcome } = await runNodes({ a: { type: 'end', output } });
  expect(outcome).toMatchObject({
    error: { code: 'end.not_object', message: `output: expected an object, got ${got}.` },
  });
});

test('without an end the state is the response', async () => {
  const { outcome } = await runNodes(
    { a: { type: 'transform', output: 1, assign: { b: '{{ nodes.a + 1 }}' } } },
    {},
    { flow: { state: { a: 1 } } },
  );
  expect(outcome).toEqual({ status: 'completed', response: { a: 1, b: 2 } });
});

test('end determines the form of the response, and adds artifacts', async () => {
  const end = { type: 'end', output: { ok: true } };
  const rejected = await runNodes({ a: { ...end, as: 'rejected' } });
  expect(rejected.outcome).toEqual({ status: 'completed', response: { ok: true }, as: 'rejected' });
  const { outcome } = await runNodes({
    a: { ...end, artifacts: [{ name: 'Row {{ 1 }}', data: [1], file: { raw: base64 } }, { text: 'x' }] },
  });
  expect(outcome).toEqual({
    status: 'completed',
    response: { ok: true },
    artifacts: [{ name: 'Row 1', data: [1], file: { raw: base64 } }, { text: 'x' }],
  });
});

test('end says a last message, and labels the response and the artifacts', async () => {
  const { outcome } = await runNodes({
    a: {
      type: 'end',
      output: {},
      message: 'Found {{ 1 + 1 }}.',
      response_artifact: { name: 'Result {{ 1 }}', metadata: { n: '{{ 1 + 1 }}' } },
      artifacts: [{ text: 'x', metadata: '{{ {"of": "x"} }}', extensions: ['urn:{{ 1 + 1 }}'] }],
    },
  });
  expect(outcome).toEqual({
    status: 'completed',
    response: {},
    message: 'Found 2.',
    response_artifact: { name: 'Result 1', metadata: { n: 2 } },
    artifacts: [{ text: 'x', metadata: { of: 'x' }, extensions: ['urn:2'] }],
  });
});

test.each([
  [{ message: '{{ $pad("", 20000, "x") }}' }, 'value.too_large'],
  [{ response_artifact: { metadata: { x: '{{ $pad("", 20000, "x") }}' } } }, 'value.too_large'],
  [{ artifacts: [{ text: 'x', metadata: '{{ [1] }}' }] }, 'content.bad_artifact'],
  [{ response_artifact: { extensions: ['{{ $pad("", 257, "x") }}'] } }, 'content.bad_artifact'],
])('end with %j fails', async (fields, code) => {
  const { outcome } = await runNodes({ a: { type: 'end', output: {}, ...fields } });
  expect(outcome).toMatchObject({ status: 'failed', error: { code } });
});
