// The official A2A client, as an integrator makes it. Free of vitest, for programs that are no tests.
import { type AgentCard, SendMessageRequest, Task, verifyAgentCardSignature } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { importJWK } from 'jose';
import * as z from 'zod';

const transportFactories = { JSONRPC: JsonRpcTransportFactory, 'HTTP+JSON': RestTransportFactory } as const;
export type BindingName = keyof typeof transportFactories;

/** With the key as a header of every request. */
export const fetchWithKey =
  (key: string): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('x-api-key', key);
    return fetch(input, { ...init, headers });
  };

export function clientFactory(key: string, binding: BindingName = 'JSONRPC'): ClientFactory {
  const fetchImpl = fetchWithKey(key);
  return new ClientFactory({
    transports: [new transportFactories[binding]({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
}

/** As an integrator makes it: from the hosted URL. */
export const officialClient = async (agentUrl: string, key: string, binding?: BindingName): Promise<Client> =>
  await clientFactory(key, binding).createFromUrl(agentUrl);

export const newMessage = (text: string, some: object = {}) => ({
  messageId: crypto.randomUUID(),
  role: 'ROLE_USER',
  parts: [{ text }],
  ...some,
});

/** The request of `sendMessage` and `sendMessageStream`. */
export const sending = (
  text: string,
  { configuration, ...message }: { configuration?: object } & Record<string, unknown> = {},
) => SendMessageRequest.fromJSON({ message: newMessage(text, message), configuration });

/** Fails for anything but a task. */
export function asTask(result: object): Task {
  if (!('status' in result)) throw new Error(`Expected a task, got ${JSON.stringify(result)}.`);
  return Task.fromJSON(Task.toJSON(result as Task));
}

const keySet = z.object({ keys: z.array(z.looseObject({ kid: z.string(), kty: z.string() })) });

/** The verifier of the SDK, with the published key that the card names, which must be at this address. */
export const cardVerifier = (jwksUrl: string): ((card: AgentCard) => Promise<void>) =>
  verifyAgentCardSignature(async (kid, jku) => {
    if (jku !== jwksUrl) throw new Error(`The card names the keys at ${jku}, expected ${jwksUrl}.`);
    const { keys } = keySet.parse(await (await fetch(jwksUrl)).json());
    const found = keys.find((key) => key.kid === kid);
    if (!found) throw new Error(`The key ${kid} is not published.`);
    const key = await importJWK(found, 'ES256');
    if (key instanceof Uint8Array) throw new Error('Expected a public key.');
    return key;
  });
