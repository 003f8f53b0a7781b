// The trace that a request belongs to. Most requests say nothing of one, and load nothing for it.
import type { TraceContext } from '#lib/trace-context.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** Undefined without a `traceparent`, and with one that is malformed or was sent several times. */
export async function readIncomingTrace({
  traceparent,
  tracestate,
}: Headers): Promise<TraceContext | undefined> {
  if (traceparent === undefined) return undefined;
  return (await import('#lib/trace-context.ts')).parseTraceContext(traceparent, tracestate);
}
