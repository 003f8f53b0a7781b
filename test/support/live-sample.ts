// Sample flows that are live, and a place on loopback for the APIs that they call.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listen } from '#lib/local/listen.ts';
import type { TestCaller } from './caller.ts';
import { liveAgent, type TestAgent } from './flows.ts';

interface SampleOptions {
  /** Example hosts, and the places that are there instead. */
  readonly places?: Readonly<Record<string, string>>;
  /** In place of those of the sample. */
  readonly models?: object;
  readonly agent_card?: object;
  readonly caller?: TestCaller;
}

export async function liveSample(
  name: string,
  { places = {}, models, agent_card, caller }: SampleOptions = {},
): Promise<TestAgent> {
  let written = readFileSync(new URL(`../../events/flows/${name}.json`, import.meta.url), 'utf8');
  for (const [host, url] of Object.entries(places))
    written = written.replaceAll(`https://${host}`, url).replaceAll(host, new URL(url).host);
  const flow = { ...JSON.parse(written), ...(models && { models }) };
  return await liveAgent({ flow, ...(agent_card && { agent_card }) }, caller);
}

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  /** Undefined without a body. */
  readonly body: unknown;
}

export interface TestApi {
  readonly url: string;
  readonly host: string;
  readonly requests: ApiRequest[];
  readonly close: () => Promise<void>;
}

/** Records the requests, and answers each with what `answer` makes of it, as JSON; without anything, with 503. */
export async function startApi(answer: (request: ApiRequest) => unknown): Promise<TestApi> {
  const requests: ApiRequest[] = [];
  const server = createServer(async (message, response) => {
    const body = await text(message);
    const request = {
      method: message.method ?? '',
      path: message.url ?? '',
      authorization: message.headers.authorization,
      body: body === '' ? undefined : JSON.parse(body),
    };
    requests.push(request);
    const answered = answer(request);
    response.writeHead(answered === undefined ? 503 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answered ?? {}));
  });
  const url = await listen(server, 0);
  return { url, host: new URL(url).host, requests, close: async () => await closeServer(server) };
}
