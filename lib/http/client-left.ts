// How a request learns that its client has left: the host closes the response stream of the function. The local host does so at once. AWS
// documents that a streamed response goes on when the client's connection is broken, so there a function may never learn of it.
import type { Writable } from 'node:stream';

const signals = new WeakMap<object, AbortSignal>();

/** Aborted when the client of the invocation with this context has left; undefined where answers are buffered. */
export const clientLeft = (context: object): AbortSignal | undefined => signals.get(context);

/** The streaming handler, whose requests learn of it. The type of middy's handlers knows nothing of the stream. */
export function noticingClients(handler: (event: never, context: never) => unknown) {
  return awslambda.streamifyResponse(async (event: unknown, stream: Writable, context): Promise<void> => {
    const leaving = new AbortController();
    stream.once('close', () => {
      if (!stream.writableFinished) leaving.abort();
    });
    signals.set(context, leaving.signal);
    await Reflect.apply(handler, undefined, [event, stream, context]);
  });
}
