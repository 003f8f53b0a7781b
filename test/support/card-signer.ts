// The functions that serve cards and the one that signs them, in this process, with DynamoDB and KMS behind proxies that
// count and fail.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { closeServer, listen } from '#lib/local/listen.ts';
import { type AwsProxy, startAwsProxy, type Verdict } from './aws-proxy.ts';
import { type MeteredCall, startCapacityMeter } from './capacity-meter.ts';
import { eventFor, lambdaContext } from './events.ts';

type Operation = 'getLiveCard' | 'getTestCard' | 'getAgentCard';
const entries = { getLiveCard: 'card-live', getTestCard: 'card-test', getAgentCard: 'card-agent' } as const;

const answer = z.looseObject({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
const functionModule = z.object({ handler: z.custom<CallableFunction>() });

const load = async (name: string) =>
  functionModule.parse(await import(new URL(`../../functions/a2a/${name}.ts`, import.meta.url).href)).handler;

interface Faults {
  /** Of KMS. */
  sign: () => Verdict;
  /** In place of an invocation. */
  invoke: () => number | undefined;
  /** After DynamoDB has done what a call asks for, before it is answered. */
  afterCall: (call: MeteredCall) => Promise<void> | undefined;
}

export interface CardFunctions {
  readonly faults: Faults;
  readonly dynamodb: AwsProxy;
  /** The KMS calls that sign. */
  readonly countSignatures: () => number;
  readonly get: (
    operation: Operation,
    params: Readonly<Record<string, string>>,
    options?: {
      readonly key?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly v03?: boolean;
    },
  ) => Promise<z.infer<typeof answer>>;
  readonly close: () => Promise<void>;
}

/** Must be called before a function of this process is loaded. */
export async function startCardFunctions(): Promise<CardFunctions> {
  const faults: Faults = { sign: () => 'pass', invoke: () => undefined, afterCall: () => undefined };
  const meter = await startCapacityMeter(endpoint('DYNAMODB'), async (call) => await faults.afterCall(call));
  const dynamodb = await startAwsProxy(meter.url);
  const kms = await startAwsProxy(endpoint('KMS'), (operation) =>
    operation === 'Sign' ? faults.sign() : 'pass',
  );
  const lambda = createServer(async (request, response) => {
    const refused = faults.invoke();
    if (refused !== undefined) return void response.writeHead(refused).end('{}');
    const sign = await load('sign-card');
    try {
      const body: unknown = await Reflect.apply(sign, undefined, [JSON.parse(await text(request))]);
      response.end(JSON.stringify(body));
    } catch (error) {
      response.writeHead(200, { 'x-amz-function-error': 'Unhandled' }).end(JSON.stringify(String(error)));
    }
  });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
    AWS_ENDPOINT_URL_KMS: kms.url,
    AWS_ENDPOINT_URL_LAMBDA: await listen(lambda, 0),
  });
  return {
    faults,
    dynamodb,
    countSignatures: () => kms.calls.filter((call) => call === 'Sign').length,
    get: async (operation, params, { key = '', headers = {}, v03 = false } = {}) => {
      const handler = await load(entries[operation]);
      const event = eventFor(operation, {
        key,
        params,
        headers: { ...(key === '' && { 'X-API-Key': '' }), ...headers },
        ...(v03 && {
          address: {
            method: 'GET',
            resource: '/api/v1/ai/a2a/agents/{registryId}/v0.3/.well-known/agent-card.json',
          },
        }),
      });
      const at = v03 ? { ...event, pathParameters: params } : event;
      return answer.parse(await Reflect.apply(handler, undefined, [at, lambdaContext()]));
    },
    close: async () =>
      void (await Promise.all([closeServer(lambda), kms.close(), dynamodb.close(), meter.close()])),
  };
}

function endpoint(service: 'DYNAMODB' | 'KMS'): string {
  const url = process.env[`AWS_ENDPOINT_URL_${service}`];
  if (!url) throw new Error('This test needs the local host: run it without BASE_URL.');
  return url;
}
