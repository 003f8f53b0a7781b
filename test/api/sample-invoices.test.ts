// The sample flow that reads invoices from images, over HTTP: the model that looks at them is scripted.
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { agentUrls, newMessage, rpc } from '#test/support/a2a.ts';
import { card } from '#test/support/builders.ts';
import { call } from '#test/support/client.ts';
import { createFile, uploadFile } from '#test/support/files.ts';
import type { TestAgent } from '#test/support/flows.ts';
import { liveSample } from '#test/support/live-sample.ts';
import { newModelScript, scriptedModels } from '#test/support/model-script.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const upload = { name: 'invoice.png', media_type: 'image/png', content: png };
const part = { raw: png.toString('base64'), mediaType: 'image/png', filename: 'invoice.png' };
const imageUrl = `data:image/png;base64,${part.raw}`;

const invoice = {
  supplier: 'Lumo GmbH',
  number: '2026-17',
  date: '2026-11-21',
  currency: 'EUR',
  lines: [
    { text: 'Lamp', amount: '1000.10' },
    { text: 'VAT 19 %', amount: '190.02' },
    { text: 'Discount', amount: '-0.02' },
  ],
  total: '1190.10',
};

const skill = { id: 'read', name: 'Read', description: 'Reads invoices.' };
const modes = { inputModes: ['text/plain', 'image/png', 'application/pdf'] };
const agent_card = card({ skills: [{ ...skill, ...modes, outputModes: ['application/json'] }] });
const reader = (models: object = scriptedModels) => liveSample('invoice-reader', { models, agent_card });

const modelRequest = z.object({ messages: z.array(z.object({ role: z.string(), content: z.unknown() })) });
/** The images in the message of the user. */
const imagesIn = (asked: string) =>
  z
    .array(z.looseObject({ image_url: z.object({ url: z.string() }).optional() }))
    .parse(modelRequest.parse(JSON.parse(asked)).messages.find(({ role }) => role === 'user')?.content)
    .flatMap(({ image_url }) => image_url?.url ?? []);

const task = z.object({
  status: z.object({ state: z.string() }),
  artifacts: z.array(z.object({ parts: z.array(z.looseObject({ data: z.unknown() })) })),
});

/** The response to a message over A2A. */
async function send(agent: TestAgent, text: string, parts: readonly object[]) {
  const message = newMessage(text, { parts: [{ text }, ...parts] });
  const { result, error } = await rpc(agentUrls(agent).live, agent.key, 'SendMessage', { message });
  expect(error).toBeUndefined();
  const { status, artifacts } = task.parse(result?.task);
  expect(status.state).toBe('TASK_STATE_COMPLETED');
  return artifacts[0]?.parts[0]?.data;
}

/** The response of a run with stored files. */
async function trigger({ key, workspaceid, flowid }: TestAgent, message: string, files: readonly string[]) {
  const params = { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' };
  const { body } = await call('triggerFlow', { key, params, body: { message, files } });
  expect(body.status).toBe('completed');
  return body.response;
}

describe('an image in a message', () => {
  test('is read, and accepted when the lines add up to the total', async () => {
    const script = newModelScript();
    const sent = send(await reader(), `Please pay. ${script.prompt}`, [part]);
    const asked = await script.answer(JSON.stringify(invoice));
    expect(await sent).toEqual({ status: 'accepted', reason: null, invoice });
    expect(imagesIn(asked)).toEqual([imageUrl]);
    expect(asked).toContain('Please pay.');
  });

  test('needs a review when the total is a cent off', async () => {
    const script = newModelScript();
    const sent = send(await reader(), script.prompt, [part]);
    await script.answer(JSON.stringify({ ...invoice, total: '1190.11' }));
    expect(await sent).toEqual({
      status: 'needs_review',
      reason: 'The lines add up to 1190.10 EUR, but the total is 1190.11 EUR.',
      invoice: { ...invoice, total: '1190.11' },
    });
  });

  test('that shows no invoice needs a review, after the model was asked twice', async () => {
    const script = newModelScript();
    const sent = send(await reader(), script.prompt, [part, part]);
    await script.answer('That is a cat.');
    expect(imagesIn(await script.answer('Still a cat.', 2))).toEqual([imageUrl, imageUrl]);
    expect(await sent).toMatchObject({ status: 'needs_review', invoice: null });
  });

  test('is asked for when there is none, without a call of the model', async () => {
    const pdf = { raw: 'cGRm', mediaType: 'application/pdf', filename: 'a.pdf' };
    for (const parts of [[], [pdf]])
      expect(await send(await reader(), 'Please pay.', parts)).toEqual({
        status: 'no_image',
        reason: expect.stringContaining('send the invoice as an image'),
        invoice: null,
      });
  });

  test('which the model does not take is answered with its type', async () => {
    const agent = await reader({ default: { model: 'blind' } });
    expect(await send(agent, 'Please pay.', [part])).toEqual({
      status: 'unavailable',
      reason: 'The model of this agent does not take files of type image/png.',
      invoice: null,
    });
  });
});

describe('a stored image', () => {
  test('is read by its id, and what is not readable is named', async () => {
    const agent = await reader();
    const script = newModelScript();
    const triggered = trigger(agent, script.prompt, [await uploadFile(agent, upload)]);
    const read = { ...invoice, number: null, lines: [{ text: 'Lamp', amount: null }] };
    expect(imagesIn(await script.answer(JSON.stringify(read)))).toEqual([imageUrl]);
    expect(await triggered).toEqual({
      status: 'needs_review',
      reason: 'Not readable in the image: number, lines.',
      invoice: read,
    });
  });

  test('that was not uploaded is asked for again', async () => {
    const agent = await reader();
    const { fileid } = await createFile(agent, upload);
    expect(await trigger(agent, 'Please pay.', [fileid])).toMatchObject({ status: 'no_image' });
  });
});
