// What one organisation does to the waiting times of another, in a service of its own with the limits that a tenant has by default.
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { forkHost } from '#test/support/forked-host.ts';
import { hostileRuns, refusals } from './loads.ts';
import { type Asking, type Effect, effectOf, type Load } from './measure.ts';
import { evilFlows, goodFlows, newOrganisation, type Organisation } from './world.ts';

/** What is missed is measured once more, and the second time counts: a machine may have been busy with something else. */
export async function measureEffects(isMissed: (effect: Effect) => boolean = () => false): Promise<Effect[]> {
  const { service, stop } = await forkHost({ limits: {} });
  try {
    Object.assign(process.env, service.environment);
    const { baseUrl, controlUrl = '' } = service;
    const good = await newOrganisation(baseUrl, 'org_good', goodFlows);
    const evil = await newOrganisation(baseUrl, 'org_evil', evilFlows);
    const asking = askingOf(good);
    for (let n = 0; n < 20; n += 1) for (const ask of Object.values(asking)) await ask();
    const effectsOf = async (load: Load): Promise<Effect[]> => {
      const effects = await effectOf(load, asking);
      if (!effects.some(isMissed)) return effects;
      const again = await effectOf(load, asking);
      return effects.map((effect, n) => (isMissed(effect) ? (again[n] ?? effect) : effect));
    };
    return [
      ...(await effectsOf(hostileRuns(evil, controlUrl))),
      ...(await effectsOf(refusals(evil, baseUrl))),
    ];
  } finally {
    await stop();
  }
}

const pollMs = 10;
const started = z.object({ workflow_id: z.string() });

function askingOf({ client, workspaceid, flows: [flowid] }: Organisation): Asking {
  const trigger = '/api/v1/ai/trigger';
  const target = `${workspaceid}/${flowid}/live`;
  const asked = { method: 'POST', body: { message: 'hello', user_variables: { name: 'Ada' } } };
  const ok = async (path: string, given: object, wanted: string): Promise<string> => {
    const { status, text } = await client.ask(path, given);
    // As a client does; it takes its time, which counts.
    if (status === 503) return await ok(path, given, wanted);
    if (status >= 300 || !text.includes(wanted)) throw new Error(`${path} was answered ${status}: ${text}`);
    return text;
  };
  return {
    '/health': async () => void (await ok('/health', {}, 'ok')),
    'a synchronous trigger': async () => void (await ok(`${trigger}/${target}`, asked, '"completed"')),
    'a background run to its end': async () => {
      const begun = await ok(`${trigger}/start/${target}`, asked, 'workflow_id');
      const status = `${trigger}/status/${workspaceid}/${started.parse(JSON.parse(begun)).workflow_id}`;
      while (!(await ok(status, {}, 'status')).includes('"completed"')) await setTimeout(pollMs);
    },
  };
}
