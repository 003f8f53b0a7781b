import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, test } from 'vitest';
import { waitWithHeartbeat, withHeartbeat } from '#lib/http/heartbeat.ts';

const soon = 2;
const never = 60_000;

async function collect(stream: AsyncIterable<string>): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

describe('a stream with a heartbeat', () => {
  test('sends heartbeats until there is output, and the JSON after the white space is valid', async () => {
    const ready = Promise.withResolvers<void>();
    async function* result() {
      await ready.promise;
      yield '{"status":"completed"}';
    }
    const chunks: string[] = [];
    for await (const chunk of withHeartbeat(result(), { beat: ' ', intervalMs: soon })) {
      chunks.push(chunk);
      if (chunks.length === 3) ready.resolve();
    }
    expect(chunks.slice(0, 3)).toEqual([' ', ' ', ' ']);
    expect(JSON.parse(chunks.join(''))).toEqual({ status: 'completed' });
  });

  test('sends heartbeats in every pause, and keeps the order of output', async () => {
    const pauses = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    async function* source() {
      for (const [n, pause] of pauses.entries()) {
        await pause.promise;
        yield String(n);
      }
    }
    const chunks: string[] = [];
    for await (const chunk of withHeartbeat(source(), { beat: '.', intervalMs: soon })) {
      if (chunk === '.') pauses[chunks.filter((each) => each !== '.').length]?.resolve();
      chunks.push(chunk);
    }
    expect(chunks.join('')).toMatch(/^\.+0\.+1\.*$/);
  });

  test('sends no heartbeat without a pause', async () => {
    async function* source() {
      yield* ['a', 'b', 'c'];
    }
    expect(await collect(withHeartbeat(source(), { beat: ' ', intervalMs: never }))).toEqual(['a', 'b', 'c']);
  });

  test('sends nothing for an empty source', async () => {
    expect(await collect(withHeartbeat((async function* () {})(), { beat: ' ', intervalMs: never }))).toEqual(
      [],
    );
  });

  test('fails with the error of its source, also after a heartbeat', async () => {
    const ready = Promise.withResolvers<never>();
    async function* source(): AsyncGenerator<string> {
      yield await ready.promise;
    }
    const reading = (async () => {
      for await (const _ of withHeartbeat(source(), { beat: ' ', intervalMs: soon }))
        ready.reject(new Error('broken'));
    })();
    await expect(reading).rejects.toThrow('broken');
  });

  test('ends its source after the current step when the client disconnects', async () => {
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
    for await (const _ of withHeartbeat(source(), { beat: ' ', intervalMs: soon })) {
      ready.resolve();
      break;
    }
    expect(seen).toEqual(['worked', 'ended']);
  });

  describe('checks at each heartbeat whether the caller is still admitted', () => {
    test('and ends with the error if not', async () => {
      const answers = [true, true, false];
      const refused = Promise.withResolvers<void>();
      const isAdmitted = async () => {
        const answer = answers.shift() ?? true;
        if (!answer) refused.resolve();
        return answer;
      };
      const source = (async function* () {
        yield 'event';
        await refused.promise;
      })();
      const beating = withHeartbeat(source, { beat: '.', intervalMs: soon, isAdmitted, refusal: 'refused' });
      expect(await collect(beating)).toEqual(['event', '.', '.', 'refused']);
    });

    test('and then sends no more output of a busy source', async () => {
      const busy = (async function* () {
        for (;;) yield 'event';
      })();
      let asked = 0;
      const isAdmitted = async () => ++asked < 3;
      const chunks = await collect(
        withHeartbeat(busy, { beat: '.', intervalMs: soon, isAdmitted, refusal: 'refused' }),
      );
      expect(chunks.lastIndexOf('refused')).toBe(chunks.length - 1);
      expect(asked).toBe(3);
    });
  });

  test('whose client has vanished ends with the next heartbeat that cannot be written', async () => {
    const left = Promise.withResolvers<void>();
    const seen: string[] = [];
    const source = (async function* () {
      yield 'event';
      await left.promise;
      seen.push('ended');
    })();
    const socket = new Writable({
      write: (chunk, _encoding, done) => {
        seen.push(String(chunk));
        done(seen.length === 3 ? new Error('EPIPE') : null);
      },
    });
    socket.once('close', left.resolve);
    const beating = Readable.from(withHeartbeat(source, { beat: '.', intervalMs: soon }));
    await expect(pipeline(beating, socket)).rejects.toThrow('EPIPE');
    if (!beating.closed) await once(beating, 'close');
    expect(seen).toEqual(['event', '.', '.', 'ended']);
  });
});

describe('an answer that takes its time', () => {
  const textAfter = async (event: Promise<unknown>, text = '{}') => {
    await event;
    return text;
  };

  const withSpaces = { beat: ' ', writeError: () => '"failed"' };

  test('is its text alone, if that is there before a heartbeat is due', async () => {
    const answer = await waitWithHeartbeat(textAfter(Promise.resolve(), 'ab'), {
      ...withSpaces,
      intervalMs: never,
    });
    expect(answer).toEqual({ text: 'ab' });
  });

  test('is a stream of heartbeats and the text, if that comes later', async () => {
    const ready = Promise.withResolvers<void>();
    const answer = await waitWithHeartbeat(textAfter(ready.promise), {
      ...withSpaces,
      intervalMs: soon,
    });
    if (!('stream' in answer)) throw new Error('Expected a stream.');
    const chunks: string[] = [];
    for await (const chunk of answer.stream) {
      chunks.push(chunk);
      if (chunks.length === 2) ready.resolve();
    }
    expect(chunks.slice(0, 2)).toEqual([' ', ' ']);
    expect(chunks.join('').trim()).toBe('{}');
  });

  test('is a stream that begins with the heartbeat that was due', async () => {
    const ready = Promise.withResolvers<void>();
    const answer = await waitWithHeartbeat(textAfter(ready.promise), {
      ...withSpaces,
      intervalMs: 200,
    });
    if (!('stream' in answer)) throw new Error('Expected a stream.');
    ready.resolve();
    expect(await collect(answer.stream)).toEqual([' ', '{}']);
  });

  test('fails as its source does before the first heartbeat, and is the text of the error after it', async () => {
    const failure = Promise.withResolvers<void>();
    const late = await waitWithHeartbeat(textAfter(failure.promise), { ...withSpaces, intervalMs: soon });
    failure.reject(new Error('late'));
    if (!('stream' in late)) throw new Error('Expected a stream.');
    expect((await collect(late.stream)).join('').trim()).toBe('"failed"');
    const early = waitWithHeartbeat(textAfter(Promise.reject(new Error('early'))), withSpaces);
    await expect(early).rejects.toThrow('early');
  });

  test('ends with its work, if it is left after its first heartbeat', async () => {
    const ready = Promise.withResolvers<void>();
    const answer = await waitWithHeartbeat(textAfter(ready.promise), { beat: ' ', intervalMs: soon });
    if (!('stream' in answer)) throw new Error('Expected a stream.');
    const chunks = answer.stream[Symbol.asyncIterator]();
    expect(await chunks.next()).toEqual({ value: ' ', done: false });
    let hasEnded = false;
    const ended = chunks.return?.().then(() => {
      hasEnded = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasEnded).toBe(false);
    ready.resolve();
    await ended;
  });

  test('breaks off, if nothing writes its late error', async () => {
    const failure = Promise.withResolvers<void>();
    const answer = await waitWithHeartbeat(textAfter(failure.promise), { beat: ' ', intervalMs: soon });
    failure.reject(new Error('late'));
    if (!('stream' in answer)) throw new Error('Expected a stream.');
    await expect(collect(answer.stream)).rejects.toThrow('late');
  });
});
