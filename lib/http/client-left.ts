// Tells a request that its client has disconnected: the host closes the response stream of the function. The
// local host does so at once. AWS documents that a streamed response continues when the client's connection
// is broken, so a function there may never be notified.
import type { Writable } from 'node:stream';

const signals = new WeakMap<object, AbortSignal>();

/** Aborted when the client of this invocation has disconnected; undefined where answers are buffered. */
export const clientLeft = (context: object): AbortSignal | undefined => signals.get(context);

/** A streaming handler with that signal. The type of middy's handlers does not include the stream. */
export function withClientSignal(handler: (event: never, context: never) => unknown) {
  return awslambda.streamifyResponse(async (event: unknown, stream: Writable, context): Promise<void> => {
    const disconnected = new AbortController();
    stream.once('close', () => {
      if (stream.writableFinished) return;
      disconnected.abort();
      ignoreWrites(stream);
    });
    signals.set(context, disconnected.signal);
    await Reflect.apply(handler, undefined, [event, stream, context]);
  });
}

/** Middy writes the answer all the same, and would wait forever: a stream that was closed without an error reports nothing. */
function ignoreWrites(stream: Writable): void {
  const end = (...given: readonly unknown[]) => {
    const done = given.at(-1);
    if (typeof done === 'function') done();
    return stream;
  };
  Object.assign(stream, { write: () => true, end });
}
