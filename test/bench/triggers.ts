// Measures what a trigger costs beyond the least that does the same: accepting an event, carrying its run
// out, and a run that is waited for.
import * as z from 'zod';
import { retryOverload } from '#test/support/retry-overload.ts';
import { installPeers } from './peers.ts';
import { type Owner, owner, promoteBuild } from './registry-caller.ts';
import { roundTripRows, type Side } from './round-trips.ts';
import type { Row } from './row.ts';
import { type Subject, startSubject } from './subject.ts';
import { webhookRows } from './webhook.ts';

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
  const accepting = await webhookRows(caller, environment);
  await using plain = await startSubject(new URL('subject-plain.ts', import.meta.url));
  return [
    ...accepting,
    ...(await roundTripRows([await hostSide(host, caller, controlUrl), plainSide(plain)])),
  ];
}

async function hostSide(subject: Subject, caller: Owner, controlUrl: string): Promise<Side> {
  const { baseUrl, key, workspaceid } = caller;
  const { flowid } = await promoteBuild(caller);
  const post = async (path: string, body: object, wanted: string) => {
    const text = await send(baseUrl + path, body, { authorization: `Bearer ${key}` });
    // A side that does not do the work must not win.
    if (!text.includes(wanted)) throw new Error(`${path} answered ${text}, without ${wanted}.`);
  };
  return {
    subject,
    event: () => post(`/api/triggers/webhook/${flowid}`, { event: 'ping' }, '"accepted"'),
    idle: () => send(controlUrl, {}),
    trigger: () =>
      post(`/api/v1/ai/trigger/${workspaceid}/${flowid}/live`, { message: 'hello' }, '"completed"'),
  };
}

function plainSide(subject: Subject): Side {
  const { baseUrl } = plainReady.parse(subject.ready);
  return {
    subject,
    event: () => send(`${baseUrl}/event`, { event: 'ping' }),
    idle: () => send(`${baseUrl}/idle`, {}),
    trigger: () => send(`${baseUrl}/trigger`, { message: 'hello' }),
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
