// What one request costs the process that serves it: processor time, and bytes of the answer.
import { Agent, request as httpRequest } from 'node:http';
import * as z from 'zod';
import { newSlowness } from './slowness.ts';

export interface SentRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text?: string | undefined;
}

export interface Cost {
  readonly status: number;
  /** On the machine of docs/security.md, however slow this one is. */
  readonly cpuMs: number;
  readonly sentBytes: number;
  readonly answerBytes: number;
  readonly answer: string;
}

const cpuUsage = z.object({ user: z.number(), system: z.number() });
/** How long a stream is read: its first events show the cost of the request. */
const streamMs = 300;
const repeatedMs = 1_000;
/** Longer than any request may take. */
const patienceMs = 200_000;

export function newMeter(baseUrl: string, controlUrl: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const slowness = newSlowness();
  const cpuMs = async () => {
    const { user, system } = cpuUsage.parse(await (await fetch(`${controlUrl}/cpu`)).json());
    return (user + system) / 1_000;
  };
  return {
    /**
     * The cheaper of two times where it is costly: code that has never run is slower, and so is a machine
     * that has just become busy.
     */
    measure: async (sent: SentRequest): Promise<Cost> => {
      await fetch(controlUrl, { method: 'POST' });
      const once = async () => {
        const slower = slowness();
        const before = await cpuMs();
        const { status, answer } = await exchange(baseUrl, agent, sent);
        const spent = (await cpuMs()) - before;
        const sentBytes = Buffer.byteLength(
          `${sent.target}${JSON.stringify(sent.headers)}${sent.text ?? ''}`,
        );
        return { status, answer, cpuMs: spent / slower, sentBytes, answerBytes: Buffer.byteLength(answer) };
      };
      const first = await once();
      if (first.cpuMs < repeatedMs || sent.method === 'DELETE') return first;
      const second = await once();
      return second.cpuMs < first.cpuMs && second.status === first.status ? second : first;
    },
    close: () => agent.destroy(),
  };
}

function exchange(
  baseUrl: string,
  agent: Agent,
  { method, target, headers, text }: SentRequest,
): Promise<{ status: number; answer: string }> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      { hostname, port, agent, method, path: target, headers, timeout: patienceMs },
      (response) => {
        const chunks: Buffer[] = [];
        const finish = () =>
          resolve({ status: response.statusCode ?? 0, answer: Buffer.concat(chunks).toString() });
        const isStream = (response.headers['content-type'] ?? '').startsWith('text/event-stream');
        if (isStream)
          setTimeout(() => {
            finish();
            response.destroy();
          }, streamMs);
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', finish);
        response.once('error', reject);
      },
    );
    outgoing.once('timeout', () =>
      outgoing.destroy(new Error(`No answer to ${method} ${target.slice(0, 100)}.`)),
    );
    outgoing.once('error', reject);
    outgoing.end(text);
  });
}
