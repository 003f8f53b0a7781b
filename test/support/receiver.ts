// Somebody who wants to hear that runs are over: a server on loopback that keeps what it is sent and answers
// what the test says.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { closeServer, listen } from '#lib/local/listen.ts';
import { hmac } from './signing.ts';

const content = z.object({ type: z.string(), timestamp: z.iso.datetime(), data: z.looseObject({}) });

export interface Heard {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly content: z.infer<typeof content>;
}

export interface Receiver {
  readonly url: string;
  readonly heard: Heard[];
  /** The statuses of the next answers; 204 when there are none left. */
  readonly answers: number[];
  readonly close: () => Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const heard: Heard[] = [];
  const answers: number[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    heard.push({ headers: request.headers, body, content: content.parse(JSON.parse(body)) });
    const status = answers.shift() ?? 204;
    response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
  });
  return { url: `${await listen(server, 0)}/hook`, heard, answers, close: () => closeServer(server) };
}

/** As the guide tells receivers to do it. */
export function isSigned({ headers, body }: Heard, secret: string): boolean {
  const signatures = String(headers['webhook-signature']).split(' ');
  const text_ = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return signatures.includes(`v1,${hmac(secret, text_)}`);
}
