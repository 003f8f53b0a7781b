import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Reply } from '#lib/flow/engine/output.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import { createEventBuffer } from '#lib/run/event-buffer.ts';

const itemBytesMax = 400_000;

const entry = (seq: number, message: string): LogEntry => ({
  seq,
  time: '2026-11-21T09:00:00.000Z',
  level: 'info',
  event: 'completed',
  message,
  status: 'completed',
});
const reply = (text: string): Reply => ({ node_id: 'said', text });

/** All events that it takes to write what is pending. */
function drained(pending: ReturnType<typeof createEventBuffer>) {
  const events: ReturnType<typeof pending.drain>[] = [];
  while (!pending.isEmpty()) events.push(pending.drain());
  return events;
}

const parseOutput = (events: readonly { logs?: string | undefined; replies?: string | undefined }[]) => ({
  logs: events.flatMap(({ logs = '[]' }): LogEntry[] => JSON.parse(logs)),
  replies: events.flatMap(({ replies = '[]' }): Reply[] => JSON.parse(replies)),
});

describe('the output of a run', () => {
  test('is written completely and in order, in events that fit into an item, in any script', async () => {
    const letter = fc.constantFrom('a', 'ä', '漢', '😀', '"', '\u0001');
    const text = fc.tuple(letter, fc.integer({ min: 0, max: 1_000 })).map(([one, n]) => one.repeat(n));
    const large = fc.tuple(letter, fc.integer({ min: 0, max: 30_000 })).map(([one, n]) => one.repeat(n));
    await fc.assert(
      fc.property(
        fc.array(text, { maxLength: 300 }),
        fc.array(large, { maxLength: 10 }),
        (messages, texts) => {
          const pending = createEventBuffer();
          const logs = messages.map((message, seq) => entry(seq, message));
          const replies = texts.map(reply);
          logs.forEach(pending.log);
          replies.forEach(pending.reply);
          const events = drained(pending);
          expect(parseOutput(events)).toEqual({ logs, replies });
          for (const { logs: some = '', replies: others = '' } of events)
            expect(Buffer.byteLength(some) + Buffer.byteLength(others)).toBeLessThan(itemBytesMax);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('fits into one event only if one event has room for all of it and the response', () => {
    const pending = createEventBuffer();
    expect(pending.fitsOneEvent(0)).toBe(true);
    for (let seq = 0; seq < 150; seq += 1) pending.log(entry(seq, 'x'.repeat(900)));
    expect(pending.fitsOneEvent(0)).toBe(false);
    pending.drain();
    expect(pending.fitsOneEvent(0)).toBe(true);
    expect(pending.fitsOneEvent(340_000)).toBe(false);
    pending.drain();
    expect(pending.isEmpty()).toBe(true);
  });

  test('has one chunk for each text, even if texts are interleaved; a restarted text is a new chunk', () => {
    const pending = createEventBuffer();
    const piece = (key: string, text: string, append: boolean, last_chunk = false) =>
      pending.text({ node_id: 'said', key, text, chunk: { append, last_chunk } });
    piece('a.1', 'On', false);
    piece('b.1', 'Up', false);
    piece('a.1', 'ce', true);
    piece('a.1', 'Twice', false);
    piece('b.1', 'on', true, true);
    const chunk = (artifact_id: string, text: string, last_chunk = false) => ({
      node_id: 'said',
      text,
      artifact: { artifact_id, name: 'said', append: false, last_chunk },
    });
    expect(parseOutput(drained(pending)).replies).toEqual([
      chunk('a.1', 'Once'),
      chunk('b.1', 'Upon', true),
      chunk('a.1', 'Twice'),
    ]);
  });

  test('for followers is not a chunk of the output for the caller', () => {
    const pending = createEventBuffer();
    pending.text({ node_id: 'said', key: 'a.1', text: 'On' });
    pending.text({ node_id: 'said', key: 'a.1', text: 'ce' });
    const [{ replies, texts = '' } = {}] = drained(pending);
    expect(replies).toBeUndefined();
    expect(JSON.parse(texts)).toEqual([{ node_id: 'said', key: 'a.1', text: 'Once' }]);
  });

  test('has one event for a reply of the largest size, with room for the text of models', () => {
    const pending = createEventBuffer();
    for (let n = 0; n < 150; n += 1) {
      pending.log(entry(n, 'x'.repeat(900)));
      pending.text({ node_id: 'said', key: `a.${n}`, text: 'x'.repeat(900) });
    }
    pending.reply(reply('x'.repeat(200_000)));
    pending.reply(reply('y'.repeat(200_000)));
    const events = drained(pending);
    expect(events.flatMap(({ replies }) => (replies ? [JSON.parse(replies).length] : []))).toEqual([1, 1]);
    expect(events.flatMap(({ texts }) => (texts ? JSON.parse(texts) : []))).toHaveLength(150);
    for (const event of events) expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(itemBytesMax);
  });

  test('of a model that writes it all at once is split into chunks that fit into an item, between characters', () => {
    const whole = '😀\u0001'.repeat(125_000);
    const pending = createEventBuffer();
    const chunk = { append: false, last_chunk: true };
    pending.text({ node_id: 'said', key: 'a.1', text: whole, chunk });
    pending.text({ node_id: 'said', key: 'b.1', text: whole });
    const events = drained(pending);
    for (const event of events) expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(itemBytesMax);
    const { replies } = parseOutput(events);
    expect(replies.map(({ text = '' }) => text).join('')).toBe(whole);
    for (const { text = '' } of replies) expect(text.isWellFormed()).toBe(true);
    const append = replies.map(({ artifact }) => artifact?.append);
    expect(append).toEqual([false, ...replies.slice(1).map(() => true)]);
    expect(replies.map(({ artifact }) => artifact?.last_chunk).indexOf(true)).toBe(replies.length - 1);
    const texts = events.flatMap((event): { text: string }[] => JSON.parse(event.texts ?? '[]'));
    expect(texts.map(({ text }) => text).join('')).toBe(whole);
  });

  test('never exceeds an item, with the largest output of every kind', () => {
    const pending = createEventBuffer();
    for (let n = 0; n < 1_000; n += 1) {
      pending.log(entry(n, '漢'.repeat(1_000)));
      pending.use({ model: `openai-compatible/${'x'.repeat(100)}`, input: n, output: n });
    }
    pending.reply(reply('x'.repeat(262_144)));
    for (const event of drained(pending))
      expect(Buffer.byteLength(Object.values(event).join(''))).toBeLessThan(itemBytesMax);
  });
});
