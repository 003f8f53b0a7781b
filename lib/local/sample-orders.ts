// The sample shop that the sample flows call: a small HTTP API on loopback.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listen } from './listen.ts';

const orders: Readonly<Record<string, object>> = {
  '1042': { order_id: '1042', status: 'shipped', carrier: 'DHL', expected: '2026-11-24', items: 2 },
  '1043': { order_id: '1043', status: 'processing', carrier: null, expected: '2026-11-28', items: 1 },
  '1044': { order_id: '1044', status: 'delivered', carrier: 'UPS', expected: '2026-11-18', items: 5 },
};

/** The address in the sample flows of `events/flows`. */
export const sampleOrdersUrl = 'http://127.0.0.1:4010';

/** Prefers its previous address, which flows contain, then that of the sample flows, then any free port. */
export async function startSampleOrders(
  formerUrl = sampleOrdersUrl,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer(answer);
  const url = await listen(server, portIn(formerUrl), portIn(sampleOrdersUrl), 0);
  return { url, close: () => closeServer(server) };
}

const portIn = (url: string): number => Number(new URL(url).port);

function answer(request: IncomingMessage, response: ServerResponse): void {
  const id = /^\/orders\/([^/?]+)$/.exec(request.url ?? '')?.[1];
  const order = id === undefined ? undefined : orders[decodeURIComponent(id)];
  response.writeHead(order ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(order ?? { error: 'not_found', message: 'There is no such order.' }));
}
