// The types that say something or end the run: reply, fail, end.
import { expect, test } from 'vitest';
import { runNodes } from '../scripted.ts';

test('reply sends text and data while the run goes on', async () => {
  const { replies, outcome } = await runNodes({
    a: { type: 'reply', text: 'Step {{ 1 + 1 }}', data: { n: '{{ 1 + 1 }}' }, next: 'b' },
    b: { type: 'end', output: { said: '{{ nodes.a }}' } },
  });
  expect(replies).toEqual([{ node_id: 'a', text: 'Step 2', data: { n: 2 } }]);
  expect(outcome).toMatchObject({ response: { said: { text: 'Step 2', data: { n: 2 } } } });
});

test('the text of a reply is text, whatever the expression gives', async () => {
  const { replies } = await runNodes({ a: { type: 'reply', text: '{{ 5 }}' } });
  expect(replies).toEqual([{ node_id: 'a', text: '5' }]);
});

test.each([
  [undefined, 'fail'],
  ['order_too_old', 'fail.order_too_old'],
])('fail with code %s ends the run as failed with code %s', async (code, expected) => {
  const { outcome, snapshots } = await runNodes({
    a: { type: 'fail', message: 'Order {{ 1 }} is too old', ...(code && { code }) },
  });
  expect(outcome).toEqual({
    status: 'failed',
    error: { code: expected, message: 'Order 1 is too old', node_id: 'a' },
  });
  expect(snapshots).toEqual([]);
});

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

const base64 = Buffer.from('a,b\n').toString('base64');

test('reply hands over an artifact in chunks', async () => {
  const chunk = {
    type: 'reply',
    text: 'line {{ state.n }}',
    artifact: {
      artifact_id: 'report-{{ run.turn }}',
      name: 'Report',
      append: '{{ state.n > 0 }}',
      last_chunk: '{{ state.n = 1 }}',
    },
    assign: { n: '{{ state.n + 1 }}' },
    next: 'more',
  };
  const { replies } = await runNodes(
    {
      chunk,
      more: { type: 'switch', cases: [{ when: '{{ state.n < 2 }}', next: 'chunk' }], default: 'done' },
      done: { type: 'end', output: {} },
    },
    {},
    { flow: { state: { n: 0 } } },
  );
  const artifact = { artifact_id: 'report-1', name: 'Report' };
  expect(replies).toEqual([
    { node_id: 'chunk', text: 'line 0', artifact: { ...artifact, append: false, last_chunk: false } },
    { node_id: 'chunk', text: 'line 1', artifact: { ...artifact, append: true, last_chunk: true } },
  ]);
});

test.each([
  [
    { raw: '{{ state.file }}', media_type: 'text/csv', filename: '{{ state.name }}.csv' },
    { raw: base64, media_type: 'text/csv', filename: 'rows.csv' },
  ],
  [{ url: 'https://files.example/{{ state.name }}' }, { url: 'https://files.example/rows' }],
])('reply hands over the file %j', async (file, filled) => {
  const { replies } = await runNodes(
    { a: { type: 'reply', file } },
    {},
    { flow: { state: { file: base64, name: 'rows' } } },
  );
  expect(replies).toEqual([{ node_id: 'a', file: filled }]);
});

test.each([[{ raw: 'no base64!' }], [{ raw: '{{ state.nothing }}' }], [{ url: 'file:///etc/passwd' }]])(
  'the file %j fails the node',
  async (file) => {
    const { outcome, replies } = await runNodes({ a: { type: 'reply', file } });
    expect(outcome).toMatchObject({ error: { code: 'content.bad_file' } });
    expect(replies).toEqual([]);
  },
);

test('end says how to answer, and hands over artifacts', async () => {
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
