// Files that models receive with a message: what goes over the HTTP APIs of the providers, and what is refused before.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { limits } from '#lib/flow/format/limits.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { startModelServer } from '#test/support/model-server.ts';
import { modelIds, runOver } from './model-flow.ts';

afterEach(() => vi.unstubAllEnvs());

const hi = { text: 'Hi' };
const png = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
const pdf = Buffer.from('%PDF-1.7').toString('base64');
const parts = [
  { text: 'What is this?' },
  { raw: png, mediaType: 'image/png', filename: 'a.png' },
  { raw: pdf, mediaType: 'application/pdf; x=y', filename: 'b.pdf' },
];
const files = [
  { part: 1, name: 'a.png', media_type: 'image/png', bytes: 8 },
  { part: 2, name: 'b.pdf', media_type: 'application/pdf', bytes: 8 },
];
const input = { message: 'What is this?', user_variables: {}, files, a2a: { message: { parts } } };
const llm = { type: 'llm', prompt: '{{ input.message }}', files: '{{ input.files }}' };
const agent = { type: 'agent', instructions: 'Help.', files: '{{ input.files }}' };

/** The content of the message of the user, as each API has it. */
const bedrock = [
  { image: { format: 'png', source: { bytes: png } } },
  { document: { format: 'pdf', name: expect.any(String), source: { bytes: pdf } } },
  { text: 'What is this?' },
];
const sent: Readonly<Record<string, readonly unknown[]>> = {
  compatible: [
    { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
    { type: 'file', file: { filename: 'b.pdf', file_data: `data:application/pdf;base64,${pdf}` } },
    { type: 'text', text: 'What is this?' },
  ],
  claude: bedrock,
  nova: bedrock,
};

const lastContent = (body: JsonObject | undefined): unknown => {
  const messages: Json = body?.messages ?? [];
  const users = Array.isArray(messages) ? messages.filter((each) => Object(each).role === 'user') : [];
  return Object(users.at(-1)).content;
};

describe.each(modelIds)('the model "%s"', (model) => {
  test.each([
    ['llm', llm],
    ['agent', agent],
    [
      'llm with messages',
      { ...llm, prompt: undefined, messages: [{ role: 'user', content: 'What is this?' }] },
    ],
  ])('gets the files of a message with it (%s)', async (_, node) => {
    await using server = await startModelServer(hi);
    const { outcome } = await runOver({ a: node }, { model, server, options: { input } });
    expect(outcome).toMatchObject({ status: 'completed' });
    expect(lastContent(server.asked[0])).toEqual(sent[model]);
  });

  test('gets them again in each turn of an agent, also in the correction of an answer', async () => {
    const output_schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
    await using server = await startModelServer({ text: '{}' }, { text: '{"n":1}' });
    await runOver({ a: { ...agent, output_schema } }, { model, server, options: { input } });
    expect(server.asked).toHaveLength(2);
    for (const body of server.asked) expect(JSON.stringify(body.messages)).toContain(png);
  });

  test('is not called with a type that its API has no form for', async () => {
    await using server = await startModelServer(hi);
    const node = { ...llm, files: [{ raw: png, media_type: 'application/zip' }] };
    const { outcome } = await runOver({ a: node }, { model, server });
    const message = expect.stringMatching(
      /^(openai-compatible|bedrock)\/\S+ does not take files of type application\/zip\. It takes: image\//,
    );
    expect(outcome).toMatchObject({ error: { code: 'model.unsupported_input', message } });
    expect(server.asked).toEqual([]);
  });
});

const failing: readonly (readonly [string, Json, string])[] = [
  ['a part that the message does not have', [{ part: 7 }], 'file.not_found'],
  ['a text part', [{ part: 0 }], 'file.not_found'],
  ['a part with a URL', [{ url: 'http://169.254.169.254/', mediaType: 'image/png' }], 'file.bad_reference'],
  ['no reference', ['invoice.png'], 'file.bad_reference'],
  ['content that is not base64', [{ raw: '!!!', media_type: 'image/png' }], 'file.bad_reference'],
  ['an id where there is no store of files', ['file_AAAAAAAAAAAAAAAAAAAAAA'], 'file.not_found'],
  ['more files than a request may have', Array(limits.filesMax + 1).fill({ part: 1 }), 'file.bad_reference'],
];

test.each(failing)('%s fails the node, and no model is called', async (_, wrong, code) => {
  await using server = await startModelServer(hi);
  const { outcome } = await runOver(
    { a: { ...llm, files: wrong } },
    { model: 'compatible', server, options: { input } },
  );
  expect(outcome).toMatchObject({ status: 'failed', error: { code } });
  expect(server.asked).toEqual([]);
});

test('without files, the message is the text alone', async () => {
  await using server = await startModelServer(hi);
  await runOver(
    { a: llm },
    { model: 'compatible', server, options: { input: { message: 'x', user_variables: {} } } },
  );
  expect(lastContent(server.asked[0])).toBe('x');
});
