// Measures how the load of one organisation changes the waiting times of another, in a separate service with
// the default limits of a tenant.
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { forkHost } from '#test/support/forked-host.ts';
import { retryOverload } from '#test/support/retry-overload.ts';
import type { Client, ClientRequestOptions } from '../soak/client.ts';
import { hostileRuns, refusals } from './loads.ts';
import { type Effect, type Load, measureEffect, type TimedRequests } from './measure.ts';
import { evilFlows, goodFlows, newOrganisation, type Organisation } from './world.ts';

/** A missed promise is measured again, and the second result counts, since the machine may have been busy. */
export async function measureEffects(isMissed: (effect: Effect) => boolean = () => false): Promise<Effect[]> {
  const { service, stop } = await forkHost({ limits: {} });
  try {
    Object.assign(process.env, service.environment);
    const { baseUrl, controlUrl = '' } = service;
    const good = await newOrganisation(baseUrl, 'org_good', goodFlows);
    const evil = await newOrganisation(baseUrl, 'org_evil', evilFlows);
    const requests = newRequests(good);
    for (let n = 0; n < 20; n += 1) for (const ask of Object.values(requests)) await ask();
    const measureTwice = async (load: Load): Promise<Effect[]> => {
      const effects = await measureEffect(load, requests);
      if (!effects.some(isMissed)) return effects;
      const again = await measureEffect(load, requests);
      return effects.map((effect, n) => (isMissed(effect) ? (again[n] ?? effect) : effect));
    };
    return [
      ...(await measureTwice(hostileRuns(evil, controlUrl))),
      ...(await measureTwice(refusals(evil, baseUrl))),
    ];
  } finally {
    await stop();
  }
}

/** Does not affect the result, since the service measures the run. */
const pollMs = 50;
const started = z.object({ workflow_id: z.string() });
const ended = z.object({ duration_ms: z.number() });

function newRequests({ client, observer, workspaceid, flows: [flowid] }: Organisation): TimedRequests {
  const trigger = '/api/v1/ai/trigger';
  const target = `${workspaceid}/${flowid}/live`;
  const body = { method: 'POST', body: { message: 'hello', user_variables: { name: 'Ada' } } };
  return {
    '/health': () => timed(() => answerTo(client, '/health', 'ok')),
    'a synchronous trigger': () => timed(() => answerTo(client, `${trigger}/${target}`, '"completed"', body)),
    'a background run to its end': async () => {
      const start = await answerTo(observer, `${trigger}/start/${target}`, 'workflow_id', body);
      const id = started.parse(JSON.parse(start)).workflow_id;
      const status = `${trigger}/status/${workspaceid}/${id}`;
      while (!(await answerTo(observer, status, 'status')).includes('"completed"')) await setTimeout(pollMs);
      return ended.parse(JSON.parse(await answerTo(observer, `/api/v1/runs/${id}`, id))).duration_ms;
    },
  };
}

async function timed(ask: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await ask();
  return performance.now() - began;
}

/** Repeats a request that is answered 503, for at most a minute; the time counts. */
async function answerTo(
  client: Client,
  path: string,
  wanted: string,
  request: ClientRequestOptions = {},
): Promise<string> {
  const { status, text } = await retryOverload(() => client.ask(path, request), {
    pauseMs: 10,
    waitMsMax: 60_000,
  });
  if (status >= 300 || !text.includes(wanted)) throw new Error(`${path} was answered ${status}: ${text}`);
  return text;
}
