// Stands between this process and DynamoDB and counts what queries and batches read, which is what they cost.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import { closeServer, listen } from '#lib/local/listen.ts';

export interface ReadMeter {
  readonly url: string;
  /** Since the start, or the last reset. Units are DynamoDB's read units: 4 KB read as it is now, or 8 KB as it was a moment ago. */
  readonly count: { queries: number; batches: number; items: number; units: number };
  readonly reset: () => void;
  readonly close: () => Promise<void>;
}

const capacity = z.looseObject({ CapacityUnits: z.number() });
const answered = z.looseObject({
  ScannedCount: z.number().optional(),
  Responses: z.record(z.string(), z.array(z.unknown())).optional(),
  ConsumedCapacity: z.union([capacity, z.array(capacity)]).optional(),
});

export async function startReadMeter(upstream: string): Promise<ReadMeter> {
  const count = { queries: 0, batches: 0, items: 0, units: 0 };
  const server = createServer(async (request, response) => {
    const asked = z.looseObject({}).parse(await json(request));
    const { host: _, 'content-length': __, connection: ___, ...headers } = request.headers;
    const answer = await fetch(upstream, {
      method: 'POST',
      body: JSON.stringify({ ...asked, ReturnConsumedCapacity: 'TOTAL' }),
      headers: headers as Record<string, string>,
    });
    const text = await answer.text();
    const operation = String(request.headers['x-amz-target']);
    const { ScannedCount = 0, Responses = {}, ConsumedCapacity = [] } = answered.parse(JSON.parse(text));
    if (operation.endsWith('.Query')) count.queries += 1;
    if (operation.endsWith('.BatchGetItem')) count.batches += 1;
    count.items += ScannedCount + Object.values(Responses).flat().length;
    count.units += [ConsumedCapacity].flat().reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0);
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text);
  });
  return {
    url: await listen(server, 0),
    count,
    reset: () => {
      Object.assign(count, { queries: 0, batches: 0, items: 0, units: 0 });
    },
    close: () => closeServer(server),
  };
}
