// The load of one organisation while another is measured: hostile runs, and requests that are refused, both
// at the rate that the limits allow one key.
import { setTimeout } from 'node:timers/promises';
import { type Client, newClient } from '../soak/client.ts';
import { evilList, type Organisation } from './world.ts';

/** Calls `act` at a constant rate until the signal; resolves when all calls have ended. */
async function steadily(perSecond: number, signal: AbortSignal, act: (n: number) => Promise<unknown>) {
  const acts: Promise<unknown>[] = [];
  for (let n = 0; !signal.aborted; n += 1) {
    const acting = act(n);
    acting.catch(() => undefined);
    acts.push(acting);
    await setTimeout(1_000 / perSecond, undefined, { signal }).catch(() => undefined);
  }
  await Promise.all(acts);
}

/** Each computes until its time is up, three seconds, so some twelve do so at any time. */
const runsPerSecond = 4;

export function hostileRuns({ client, workspaceid, flows }: Organisation, controlUrl: string) {
  const start = async (n: number) => {
    const flowid = flows[n % flows.length];
    const { status, text } = await client.ask(`/api/v1/ai/trigger/start/${workspaceid}/${flowid}/live`, {
      method: 'POST',
      body: { message: 'hello', user_variables: { list: evilList } },
    });
    // 429 and 503 are expected.
    if (status === 500) throw new Error(`A start was answered ${status}: ${text}`);
  };
  return {
    what: 'hostile runs',
    run: (signal: AbortSignal) => steadily(runsPerSecond, signal, start),
    settle: async () => {
      await fetch(controlUrl);
    },
  };
}

/** 500 in ten seconds are what one key may ask; bad tokens have no key and no limit but the gateway's. */
const refusalsPerSecond = 50;

export function refusals(evil: Organisation, baseUrl: string) {
  const stranger = newClient(baseUrl, 'e30.e30.e30');
  const forged = newClient(baseUrl, forgedToken);
  const kinds = refusedBy(evil, { stranger, forged });
  const ask = async (n: number) => {
    const { status, text } = await (kinds[n % kinds.length] ?? kinds[0])();
    if (status < 400 || status === 500)
      throw new Error(`A refusal was answered ${status}: ${text.slice(0, 200)}`);
  };
  return {
    what: 'requests that are refused',
    run: (signal: AbortSignal) => steadily(refusalsPerSecond, signal, ask),
    settle: async () => {},
  };
}

/** Well-formed, of the right type, and signed by nobody. */
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const forgedToken = [
  part({ alg: 'ES256', typ: 'api-key+jwt', kid: 'unknown' }),
  part({ iss: 'urn:agent-flow:tenant:test', sub: 'key_x', exp: 4_000_000_000 }),
  Buffer.alloc(64, 7).toString('base64url'),
].join('.');

interface Strangers {
  readonly stranger: Client;
  readonly forged: Client;
}

function refusedBy({ client, workspaceid, flows }: Organisation, { stranger, forged }: Strangers) {
  const registry = `/api/v1/a2a-registry?workspaceid=${workspaceid}`;
  const trigger = `/api/v1/ai/trigger/${workspaceid}/${flows[0]}/live`;
  const post = (by: Client, path: string, body: unknown) => () => by.ask(path, { method: 'POST', body });
  const unknownMembers = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`unknown_${n}`, n]));
  const schema = { allOf: Array.from({ length: 300 }, () => ({ type: 'nonsense' })) };
  const flow = {
    version: 1,
    name: 'Bad',
    start: 'a',
    input: schema,
    nodes: { a: { type: 'end', output: {} } },
  };
  return [
    post(stranger, trigger, { message: 'hello' }),
    post(forged, trigger, { message: 'hello' }),
    post(forged, registry, unknownMembers),
    post(client, trigger, unknownMembers),
    post(client, registry, { flowid: 'flow_refused', flow, agent_card: {} }),
  ] as const;
}
