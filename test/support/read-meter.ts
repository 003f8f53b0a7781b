// Stands between this process and DynamoDB and counts what queries read, which is what they cost.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { closeServer, listen } from '#lib/local/listen.ts';

export interface ReadMeter {
  readonly url: string;
  /** Since the start, or the last reset. */
  readonly count: { queries: number; items: number };
  readonly reset: () => void;
  readonly close: () => Promise<void>;
}

const answered = z.looseObject({ ScannedCount: z.number().optional() });

export async function startReadMeter(upstream: string): Promise<ReadMeter> {
  const count = { queries: 0, items: 0 };
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { host: _, 'content-length': __, connection: ___, ...headers } = request.headers;
    const answer = await fetch(upstream, {
      method: 'POST',
      body,
      headers: headers as Record<string, string>,
    });
    const text = await answer.text();
    if (String(request.headers['x-amz-target']).endsWith('.Query')) {
      count.queries += 1;
      count.items += answered.parse(JSON.parse(text)).ScannedCount ?? 0;
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text);
  });
  return {
    url: await listen(server, 0),
    count,
    reset: () => {
      Object.assign(count, { queries: 0, items: 0 });
    },
    close: () => closeServer(server),
  };
}
