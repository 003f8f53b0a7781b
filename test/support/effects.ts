// The outside world as a payment provider would be: it takes each Idempotency-Key once, however often it is
// sent.
import { createServer } from 'node:http';
import { closeServer, listen } from '#lib/local/listen.ts';

export interface Effects {
  readonly url: string;
  /** For `egress` of a flow. */
  readonly host: string;
  /** The keys that took effect for a run, and how often each was sent. */
  readonly of: (runId: string) => ReadonlyMap<string, number>;
  readonly close: () => Promise<void>;
}

export async function startEffects(): Promise<Effects> {
  const runs = new Map<string, Map<string, number>>();
  const server = createServer((request, response) => {
    request.resume();
    const key = String(request.headers['idempotency-key']);
    const [runId = ''] = key.split('.');
    const keys = runs.get(runId) ?? new Map<string, number>();
    runs.set(runId, keys.set(key, (keys.get(key) ?? 0) + 1));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"taken":true}');
  });
  const url = await listen(server, 0);
  return {
    url,
    host: new URL(url).host,
    of: (runId) => runs.get(runId) ?? new Map(),
    close: () => closeServer(server),
  };
}
