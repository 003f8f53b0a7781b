// Measures what a trigger costs beyond the least that does the same: accepting an event, carrying its run
// out, and a run that is waited for.
import * as z from 'zod';
import { retryOverload } from '#test/support/retry-overload.ts';
import { installPeers } from './peers.ts';
import { type Owner, owner, promoteBuild } from './registry-caller.ts';
import { type EventSide, eventRows, type TriggerSide, waitedRows } from './round-trips.ts';
import type { Row } from './row.ts';
import { type Subject, startSubject } from './subject.ts';
import { asDeployed, webhookRows } from './webhook.ts';

const hostReady = z.object({
  baseUrl: z.string(),
  controlUrl: z.string(),
  environment: z.record(z.string(), z.string()),
});
const plainReady = z.object({ baseUrl: z.string() });

export async function triggerRows(): Promise<Row[]> {
  await installPeers();
  await using host = await startSubject(new URL('subject-host.ts', import.meta.url));
  const { baseUrl, controlUrl, environment } = hostReady.parse(host.ready);
  const caller = { ...owner.parse(await host.ask('owner')), baseUrl };
  const accepted = await webhookRows(caller, environment);
  const { flowid } = await promoteBuild(caller);
  const path = `/api/v1/ai/trigger/${caller.workspaceid}/${flowid}/live`;
  await using deployed = await startSubject(new URL('subject-trigger.ts', import.meta.url), {
    args: [caller.workspaceid, flowid],
    environment: { ...environment, ...asDeployed },
  });
  await using accepting = await startSubject(new URL('subject-event.ts', import.meta.url), {
    args: [flowid],
    environment: { ...environment, ...asDeployed },
  });
  await using plain = await startSubject(new URL('subject-plain.ts', import.meta.url));
  const deployedUrl = plainReady.parse(deployed.ready).baseUrl;
  const acceptingUrl = plainReady.parse(accepting.ready).baseUrl;
  const [ours, bare] = [postAs(caller), plainSide(plain)];
  return [
    ...accepted,
    ...(await eventRows({
      deployed: {
        subject: accepting,
        event: () => ours(`${acceptingUrl}/event`, { event: 'ping' }, '"accepted"'),
        idle: () => send(`${acceptingUrl}/idle`, {}),
      },
      host: {
        subject: host,
        event: () => ours(`${baseUrl}/api/triggers/webhook/${flowid}`, { event: 'ping' }, '"accepted"'),
        idle: () => send(controlUrl, {}),
      },
      bare,
    })),
    ...(await waitedRows({
      deployed: { subject: deployed, trigger: () => ours(deployedUrl + path, hello, '"completed"') },
      host: { subject: host, trigger: () => ours(baseUrl + path, hello, '"completed"') },
      bare,
    })),
  ];
}

const hello = { message: 'hello' };

function postAs({ key }: Owner) {
  return async (url: string, body: object, wanted: string): Promise<void> => {
    const text = await send(url, body, { authorization: `Bearer ${key}` });
    // A side that does not do the work must not win.
    if (!text.includes(wanted)) throw new Error(`${url} answered ${text}, without ${wanted}.`);
  };
}

function plainSide(subject: Subject): EventSide & TriggerSide {
  const { baseUrl } = plainReady.parse(subject.ready);
  return {
    subject,
    event: () => send(`${baseUrl}/event`, { event: 'ping' }),
    idle: () => send(`${baseUrl}/idle`, {}),
    trigger: () => send(`${baseUrl}/trigger`, hello),
  };
}

async function send(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const response = await retryOverload(() =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  );
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return text;
}
