// The global `awslambda` of the Lambda runtime: marks handlers that stream, and sends status and headers
// before the body.
import { PassThrough, type Writable } from 'node:stream';

/** `setContentType` has no effect, since the prelude contains the content type. */
export type ResponseStream = PassThrough & { setContentType(contentType: string): void };
export type StreamingHandler = (event: unknown, stream: ResponseStream, context: unknown) => unknown;

/** The runtime marks streaming handlers with this symbol. */
const streaming = Symbol.for('aws.lambda.runtime.handler.streaming');

/**
 * Eight NUL bytes separate the prelude, one JSON object, from the body (API Gateway, response transfer mode
 * STREAM).
 */
export const preludeEnd = Buffer.alloc(8);

/** Must run before handlers are imported: middy reads the global while its module is loaded. */
export function installAwsLambda(): void {
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse: (handler: object) => Object.assign(handler, { [streaming]: 'response' }),
      HttpResponseStream: { from: withPrelude },
    },
  });
}

export function isStreaming(handler: unknown): handler is StreamingHandler {
  return typeof handler === 'function' && streaming in handler;
}

export function responseStream(): ResponseStream {
  const stream = Object.assign(new PassThrough(), { setContentType: () => {} });
  // A client that disconnects destroys the stream; later writes of the handler must not become uncaught
  // errors.
  stream.on('error', () => {});
  return stream;
}

/**
 * As in the runtime, the prelude is sent with the first write, even an empty one, and not without a write.
 */
function withPrelude(stream: Writable, metadata: object): Writable {
  const write = stream.write.bind(stream);
  stream.write = (...args: unknown[]) => {
    stream.write = write;
    write(Buffer.concat([Buffer.from(JSON.stringify(metadata)), preludeEnd]));
    return Reflect.apply(write, stream, args);
  };
  return stream;
}
