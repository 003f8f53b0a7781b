import { describe, expect, test } from 'vitest';
import { withHeartbeat } from '#lib/api/heartbeat.ts';

const soon = 2;
const never = 60_000;

async function collect(stream: AsyncIterable<string>): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

describe('a stream with a heartbeat', () => {
  test('beats until there is something to say, and the JSON after white space still parses', async () => {
    const ready = Promise.withResolvers<void>();
    async function* result() {
      await ready.promise;
      yield '{"status":"completed"}';
    }
    const chunks: string[] = [];
    for await (const chunk of withHeartbeat(result(), ' ', soon)) {
      chunks.push(chunk);
      if (chunks.length === 3) ready.resolve();
    }
    expect(chunks.slice(0, 3)).toEqual([' ', ' ', ' ']);
    expect(JSON.parse(chunks.join(''))).toEqual({ status: 'completed' });
  });

  test('beats in every pause, and keeps the order', async () => {
    const pauses = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    async function* source() {
      for (const [n, pause] of pauses.entries()) {
        await pause.promise;
        yield String(n);
      }
    }
    const chunks: string[] = [];
    for await (const chunk of withHeartbeat(source(), '.', soon)) {
      if (chunk === '.') pauses[chunks.filter((each) => each !== '.').length]?.resolve();
      chunks.push(chunk);
    }
    expect(chunks.join('')).toMatch(/^\.+0\.+1\.*$/);
  });

  test('does not beat where there is no pause', async () => {
    async function* source() {
      yield* ['a', 'b', 'c'];
    }
    expect(await collect(withHeartbeat(source(), ' ', never))).toEqual(['a', 'b', 'c']);
  });

  test('says nothing for a source that says nothing', async () => {
    expect(await collect(withHeartbeat((async function* () {})(), ' ', never))).toEqual([]);
  });

  test('fails as its source fails, also after a beat', async () => {
    const ready = Promise.withResolvers<never>();
    async function* source(): AsyncGenerator<string> {
      yield await ready.promise;
    }
    const reading = (async () => {
      for await (const _ of withHeartbeat(source(), ' ', soon)) ready.reject(new Error('broken'));
    })();
    await expect(reading).rejects.toThrow('broken');
  });

  test('ends its source when nobody listens any more, after the step that it is in', async () => {
    const ready = Promise.withResolvers<void>();
    const seen: string[] = [];
    async function* source() {
      try {
        await ready.promise;
        seen.push('worked');
        yield 'result';
        seen.push('went on');
      } finally {
        seen.push('ended');
      }
    }
    for await (const _ of withHeartbeat(source(), ' ', soon)) {
      ready.resolve();
      break;
    }
    expect(seen).toEqual(['worked', 'ended']);
  });
});
