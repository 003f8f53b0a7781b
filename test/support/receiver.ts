// A receiver of callbacks or push notifications: a server on loopback that stores what it receives and answers
// with the statuses that the test sets.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { StreamResponse } from '@a2a-js/sdk';
import * as z from 'zod';
import { closeServer, listen } from '#lib/local/listen.ts';
import { hmac } from './signing.ts';

const content = z.object({ type: z.string(), timestamp: z.iso.datetime(), data: z.looseObject({}) });

export interface ReceivedCallback {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The status of the answer. */
  readonly status: number;
  readonly content: z.infer<typeof content>;
}

export interface Receiver<R = ReceivedCallback> {
  readonly url: string;
  readonly received: R[];
  /** The statuses of the next answers; 204 when there are none left. */
  readonly answers: number[];
  readonly close: () => Promise<void>;
}

export type ReceivedRequest = Pick<ReceivedCallback, 'headers' | 'body' | 'status'>;

export const startRequestReceiver = (): Promise<Receiver<ReceivedRequest>> => receive((request) => request);

export const startReceiver = (): Promise<Receiver> =>
  receive((request) => ({ ...request, content: content.parse(JSON.parse(request.body)) }));

/** A push notification, with the response of the stream that it holds. */
export interface ReceivedPush extends ReceivedRequest {
  readonly response: StreamResponse;
}

export const startPushReceiver = (beforeAnswer?: BeforeAnswer): Promise<Receiver<ReceivedPush>> =>
  receive(
    (request) => ({ ...request, response: StreamResponse.fromJSON(JSON.parse(request.body)) }),
    beforeAnswer,
  );

/** Called when a request was received, before it is answered. */
type BeforeAnswer = () => Promise<void>;

async function receive<R>(
  read: (request: ReceivedRequest) => R,
  beforeAnswer: BeforeAnswer = async () => {},
): Promise<Receiver<R>> {
  const received: R[] = [];
  const answers: number[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const status = answers.shift() ?? 204;
    received.push(read({ headers: request.headers, body, status }));
    await beforeAnswer();
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
