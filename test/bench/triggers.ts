// Measures what a trigger costs beyond the least that does the same: accepting an event, carrying its run out, and a run that is waited for.
import * as z from 'zod';
import { installPeers } from './peers.ts';
import { owner } from './registry-caller.ts';
import type { Row } from './row.ts';
import { startSubject } from './subject.ts';
import { webhookRows } from './webhook.ts';

const hostReady = z.object({
  baseUrl: z.string(),
  controlUrl: z.string(),
  environment: z.record(z.string(), z.string()),
});

export async function triggerRows(): Promise<Row[]> {
  await installPeers();
  await using host = await startSubject(new URL('subject-host.ts', import.meta.url));
  const { baseUrl, environment } = hostReady.parse(host.ready);
  const caller = { ...owner.parse(await host.ask('owner')), baseUrl };
  return [...(await webhookRows(caller, environment))];
}
