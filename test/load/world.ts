// The two organisations of a load test: one sends normal requests, the other requests that are expensive or
// refused.
import * as z from 'zod';
import { issueApiKey } from '#lib/access/api-key.ts';
import { permissions } from '#lib/access/permission.ts';
import { retryOverload } from '#test/support/retry-overload.ts';
import { type Client, newClient } from '../soak/client.ts';

export interface Organisation {
  readonly client: Client;
  /** Has a key of its own and so a rate limit of its own. */
  readonly observer: Client;
  readonly workspaceid: string;
  /** The ids of live flows. */
  readonly flows: readonly string[];
}

/** Creates keys with the environment of the service, which this process must have. */
export async function newOrganisation(
  baseUrl: string,
  orgid: string,
  flows: Readonly<Record<string, object>>,
): Promise<Organisation> {
  const workspaceid = `ws_${orgid}`;
  const newKey = (id: string) =>
    issueApiKey({
      id,
      orgid,
      workspaces: [workspaceid],
      scopes: permissions,
      issuedAt: Math.floor(Date.now() / 1_000),
      lifetimeSeconds: 86_400,
    });
  const client = newClient(baseUrl, await newKey(`key_${orgid}`));
  const observer = newClient(baseUrl, await newKey(`key_${orgid}_observer`));
  for (const [name, flow] of Object.entries(flows))
    await register({ client, workspaceid }, `flow_${orgid}_${name}`, flow);
  return { client, observer, workspaceid, flows: Object.keys(flows).map((name) => `flow_${orgid}_${name}`) };
}

const row = z.object({ a2aregistryid: z.string() });
const card = {
  name: 'Load',
  description: 'Receives requests beside other load.',
  skills: [{ id: 'answer', name: 'Answer', description: 'Answers.' }],
};

type Registering = Pick<Organisation, 'client' | 'workspaceid'>;

async function register({ client, workspaceid }: Registering, flowid: string, flow: object): Promise<void> {
  const build = { method: 'POST', body: { flowid, agent_card: card, flow } };
  const made = await retryOverload(() =>
    client.ask(`/api/v1/a2a-registry?workspaceid=${workspaceid}`, build),
  );
  if (made.status !== 201) throw new Error(`${flowid} was answered ${made.status}: ${made.text}`);
  const { a2aregistryid } = row.parse(JSON.parse(made.text));
  const promotion = `/api/v1/a2a-registry/${a2aregistryid}/promote-live`;
  await retryOverload(() => client.ask(promotion, { method: 'PUT' }));
}

const end = (output: object) => ({ type: 'end', output });
const newFlow = (nodes: Record<string, object>, more: object = {}) => ({
  ...{ version: 1, name: 'Load', start: Object.keys(nodes)[0], nodes },
  ...more,
});

/** Typical flows: one or two expressions and a small schema. */
export const goodFlows = {
  greet: newFlow(
    {
      make: {
        type: 'transform',
        output: { text: 'Hello {{ $uppercase(input.message) }}', n: '{{ $sum([1..20]) }}' },
        next: 'done',
      },
      done: end({ said: '{{ nodes.make.text }}' }),
    },
    { input: { type: 'object', properties: { name: { type: 'string', maxLength: 100 } } } },
  ),
};

/**
 * One node with many evaluations, until one fails or its time is up: little work for the engine, much to
 * compute.
 */
const endless = (expression: string) => {
  const output = Array.from({ length: 100 }, () => `{{ ${expression} }}`);
  return newFlow(
    { compute: { type: 'transform', output, next: 'done' }, done: end({}) },
    { limits: { timeout_seconds: 3 } },
  );
};
const uniqueItems = { allOf: Array.from({ length: 4_000 }, () => ({ uniqueItems: true })) };

export const evilFlows = {
  recursion: endless('($f := function(){ $f() }; $f())'),
  sums: endless('$sum([1..9000].($ * 2))'),
  // Just below the budget of one evaluation.
  below: endless('$sum([1..200].($ * 2))'),
  matches: endless('$map([1..99], function($n){ $match($pad("", 60000, "a"), /((a|b)(c|d)?)*e/) })'),
  schema: newFlow({ done: end({}) }, { input: { properties: { list: uniqueItems } } }),
};

/** The input of the flow `schema`; the others ignore it. */
export const evilList = Array.from({ length: 12_000 }, (_, n) => n);
