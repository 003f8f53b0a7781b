// The fetch that a session gives to the MCP SDK. The SDK reads responses in the background and only reports
// that a stream broke; this fetch reports what the guarded fetch refused to the call that is waiting for the
// response.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ConnectionFetch } from '#lib/connection/authorized-fetch.ts';
import { EgressError } from '#lib/egress/egress-error.ts';
import type { EgressLimits } from '#lib/egress/guarded-fetch.ts';
import { hostName } from '#lib/egress/network-failure.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { McpServer } from '#lib/flow/ports/mcp.ts';
import type { TraceHeaders } from '#lib/flow/ports/node-call.ts';
import { withExactResults } from './exact-results.ts';
import { busyFailure } from './failure.ts';

/** The call's signal ends requests that take too long. */
const limits: Partial<EgressLimits> = { headersMs: 900_000, bodyMs: 900_000 };
/** Nothing waits for the end of a session. */
const closeLimits: Partial<EgressLimits> = { headersMs: 2_000, bodyMs: 2_000 };

/** The call that waits for a response. */
interface Waiting {
  readonly trace: TraceHeaders | undefined;
  readonly refuse: (error: unknown) => void;
  /** The number of integers in its result that were kept as text. */
  kept: number;
}

const waiting = new AsyncLocalStorage<Waiting>();

/** Rejects with the first refusal of a fetch within `work`, whose requests carry the trace. */
export async function untilRefused<T>(
  work: () => Promise<T>,
  trace?: TraceHeaders,
): Promise<{ readonly result: T; readonly kept: number }> {
  const refused = Promise.withResolvers<never>();
  refused.promise.catch(() => undefined);
  const call: Waiting = { trace, refuse: refused.reject, kept: 0 };
  const result = await Promise.race([waiting.run(call, work), refused.promise]);
  return { result, kept: call.kept };
}

export const sessionFetch =
  ({ fetch }: ConnectionFetch, { egress }: Pick<McpServer, 'egress'>) =>
  async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    // Without Last-Event-ID, a GET opens the stream of messages that the server initiates, which no run
    // reads.
    if (init.method === 'GET' && !new Headers(init.headers).has('last-event-id'))
      return new Response(null, { status: 405 });
    const call = waiting.getStore();
    const noteKept = (count: number) => {
      if (call) call.kept += count;
    };
    const bounds = init.method === 'DELETE' ? closeLimits : limits;
    try {
      const headers = withTrace(init.headers, call?.trace);
      const response = await fetch(url, { ...init, headers, egress, limits: bounds });
      const busy = busyFailure(response, hostName(String(url)));
      await (busy && response.body?.cancel());
      if (busy) throw busy;
      return withExactResults(reportBodyErrors(response), noteKept);
    } catch (error) {
      throw reportRefusal(error);
    }
  };

function withTrace(sent: RequestInit['headers'], trace: TraceHeaders | undefined): Headers {
  const headers = new Headers(sent);
  for (const [name, value] of Object.entries(trace ?? {})) if (value !== undefined) headers.set(name, value);
  return headers;
}

/** Reports a refusal that occurs while the body is read. */
function reportBodyErrors(response: Response): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        controller.error(reportRefusal(error));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return Object.defineProperty(new Response(body, response), 'url', { value: response.url });
}

/** Network failures are left to the SDK, which may resume a stream that broke off. */
function reportRefusal(error: unknown): unknown {
  if (error instanceof EgressError || error instanceof NodeError) waiting.getStore()?.refuse(error);
  return error;
}
