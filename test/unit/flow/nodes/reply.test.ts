import { expect, test } from 'vitest';
import { runNodes } from '../scripted.ts';

test('reply sends text and data while the run continues', async () => {
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

const base64 = Buffer.from('a,b\n').toString('base64');

test('reply hands over an artifact in chunks', async () => {
  const chunk = {
    type: 'reply',
    text: '{{ "line " & state.n }}\n',
    artifact: {
      artifact_id: 'report-{{ run.turn }}',
      name: 'Report',
      append: ' {{ state.n > 0 }} ',
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
    { node_id: 'chunk', text: 'line 0\n', artifact: { ...artifact, append: false, last_chunk: false } },
    { node_id: 'chunk', text: 'line 1\n', artifact: { ...artifact, append: true, last_chunk: true } },
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

test('reply sends metadata and extensions, of a message or of an artifact', async () => {
  const uri = 'urn:example:geo:v1';
  const annotations = {
    metadata: { [uri]: { km: '{{ 1 + 1 }}' } },
    extensions: ['{{ state.uri }}', "{{ false ? 'urn:other' : '' }}", '{{ state.none }}'],
  };
  const artifact = { artifact_id: 'x', ...annotations };
  const { replies } = await runNodes(
    {
      a: { type: 'reply', text: 'x', ...annotations, next: 'b' },
      b: { type: 'reply', text: 'x', as: 'status', extensions: [uri], next: 'c' },
      c: { type: 'reply', text: 'x', artifact },
    },
    {},
    { flow: { state: { uri } } },
  );
  const filled = { metadata: { [uri]: { km: 2 } }, extensions: [uri] };
  expect(replies).toEqual([
    { node_id: 'a', text: 'x', ...filled },
    { node_id: 'b', text: 'x', as: 'status', extensions: [uri] },
    { node_id: 'c', text: 'x', artifact: { artifact_id: 'x', ...filled } },
  ]);
});

test.each([
  [{ metadata: '{{ [1] }}' }, 'content.bad_message'],
  [{ metadata: { x: '{{ $pad("", 20000, "x") }}' } }, 'value.too_large'],
  [{ extensions: ['{{ $pad("", 257, "x") }}'] }, 'content.bad_message'],
])('reply fails for the annotations %j of a message', async (annotations, code) => {
  const { outcome } = await runNodes({ a: { type: 'reply', text: 'x', ...annotations } });
  expect(outcome).toMatchObject({ status: 'failed', error: { code } });
});

test('reply says what the run does, and sends the metadata of an artifact', async () => {
  const artifact = { artifact_id: 'x', metadata: { n: '{{ 1 + 1 }}' } };
  const { replies } = await runNodes({
    a: { type: 'reply', text: 'Looking.', as: 'status', next: 'b' },
    b: { type: 'reply', text: 'Found.', as: 'message', next: 'c' },
    c: { type: 'reply', text: 'x', artifact, next: 'done' },
    done: { type: 'end', output: {} },
  });
  expect(replies).toEqual([
    { node_id: 'a', text: 'Looking.', as: 'status' },
    { node_id: 'b', text: 'Found.' },
    { node_id: 'c', text: 'x', artifact: { artifact_id: 'x', metadata: { n: 2 } } },
  ]);
});
