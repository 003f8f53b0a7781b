// The `awslambda` global of the Lambda runtime: how a handler says that it streams, and how it sends status and headers first.
import { PassThrough, type Writable } from 'node:stream';

/** A stream of the runtime announces its content type; here only the prelude matters, so the announcement goes nowhere. */
export type ResponseStream = PassThrough & { setContentType(contentType: string): void };
export type StreamingHandler = (event: unknown, stream: ResponseStream, context: unknown) => unknown;

/** The runtime marks streaming handlers with this symbol. */
const streaming = Symbol.for('aws.lambda.runtime.handler.streaming');

/** Between the prelude, one JSON object, and the body stand eight NUL bytes (API Gateway, response transfer mode STREAM). */
export const preludeEnd = Buffer.alloc(8);

/** Must run before any handler is imported: middy reads the global while the module loads. */
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
  // A client that leaves destroys the stream, and what the handler still writes must not become an uncaught error.
  stream.on('error', () => {});
  return stream;
}

/** As in the runtime, the prelude goes out with the first write, an empty one included, and without a write never. */
function withPrelude(stream: Writable, metadata: object): Writable {
  const write = stream.write.bind(stream);
  stream.write = (...args: unknown[]) => {
    stream.write = write;
    write(Buffer.concat([Buffer.from(JSON.stringify(metadata)), preludeEnd]));
    return Reflect.apply(write, stream, args);
  };
  return stream;
}
