// The fetch that a session gives to the MCP SDK. The SDK reads answers in the background and only reports that a stream broke; what the
// guarded fetch refused there is told to the very call that waits for it.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Connected } from '#lib/connection/connection-fetch.ts';
import { EgressError } from '#lib/egress/egress-error.ts';
import type { EgressLimits } from '#lib/egress/guarded-fetch.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { McpServer } from '#lib/flow/ports/mcp.ts';

/** The call's signal ends what takes too long. */
const limits: Partial<EgressLimits> = { headersMs: 900_000, bodyMs: 900_000 };
/** Nobody waits for the end of a session. */
const farewellLimits: Partial<EgressLimits> = { headersMs: 2_000, bodyMs: 2_000 };

const waiting = new AsyncLocalStorage<(error: unknown) => void>();

/** Fails with what the fetches of `work` were refused, as soon as they are. */
export async function untilRefused<T>(work: () => Promise<T>): Promise<T> {
  const refused = Promise.withResolvers<never>();
  refused.promise.catch(() => undefined);
  return await Promise.race([waiting.run(refused.reject, work), refused.promise]);
}

export const sessionFetch =
  ({ fetch }: Connected, { egress }: Pick<McpServer, 'egress'>) =>
  async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    // Without a place to go on from, a GET asks for a stream of what the server says by itself, which no run listens to.
    if (init.method === 'GET' && !new Headers(init.headers).has('last-event-id'))
      return new Response(null, { status: 405 });
    const bounds = init.method === 'DELETE' ? farewellLimits : limits;
    try {
      return watched(await fetch(url, { ...init, egress, limits: bounds }));
    } catch (error) {
      throw told(error);
    }
  };

/** Tells of a refusal within the body. */
function watched(response: Response): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        controller.error(told(error));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return Object.defineProperty(new Response(body, response), 'url', { value: response.url });
}

/** The network's own failures are for the SDK, which may go on where a stream broke off. */
function told(error: unknown): unknown {
  if (error instanceof EgressError || error instanceof NodeError) waiting.getStore()?.(error);
  return error;
}
