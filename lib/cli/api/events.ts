// Server-sent events of the service: of a run, and of an A2A stream.
import { EventSourceParserStream } from 'eventsource-parser/stream';

export interface ServerEvent {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly data: unknown;
}

/** Until the response ends. */
export async function* readEvents({ body }: Response): AsyncGenerator<ServerEvent> {
  if (!body) return;
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { id, event, data } of events) yield { id, name: event, data: JSON.parse(data) };
}
