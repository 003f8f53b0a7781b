// A receiver of callbacks: a server on loopback that stores what it receives and answers with the statuses
// that the test sets.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { closeServer, listen } from '#lib/local/listen.ts';
import { hmac } from './signing.ts';

const content = z.object({ type: z.string(), timestamp: z.iso.datetime(), data: z.looseObject({}) });

export interface ReceivedCallback {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly content: z.infer<typeof content>;
}

export interface Receiver {
  readonly url: string;
  readonly received: ReceivedCallback[];
  /** The statuses of the next answers; 204 when there are none left. */
  readonly answers: number[];
  readonly close: () => Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: ReceivedCallback[] = [];
  const answers: number[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    received.push({ headers: request.headers, body, content: content.parse(JSON.parse(body)) });
    const status = answers.shift() ?? 204;
    response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
  });
  return { url: `${await listen(server, 0)}/hook`, received, answers, close: () => closeServer(server) };
}

/** Verifies the signature as the guide describes it. */
export function isSigned({ headers, body }: ReceivedCallback, secret: string): boolean {
  const signatures = String(headers['webhook-signature']).split(' ');
  const text_ = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return signatures.includes(`v1,${hmac(secret, text_)}`);
}
