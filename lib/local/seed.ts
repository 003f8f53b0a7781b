// What a fresh local service starts with: an organisation, a workspace, an API key and one example agent that is live.
// Everything is made through the service's own API, with a key as an operator would issue it.
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { issueApiKey } from '#lib/access/api-key.ts';
import { permissions } from '#lib/access/permission.ts';
import type { CreateBody } from '#lib/registry/row.ts';

const seeded = {
  orgid: 'org_demo',
  workspaceid: 'ws_demo',
  flowid: 'support-triage',
  keyId: 'key_demo',
} as const;

export interface Seed {
  readonly orgid: string;
  readonly workspaceid: string;
  readonly flowid: string;
  readonly apiKey: string;
  /** Of the live build. */
  readonly registryId: string;
}

interface SeedOptions {
  readonly baseUrl: string;
  readonly ordersUrl: string;
}

const page = z.object({
  items: z.array(
    z.object({ a2aregistryid: z.string(), hosted_url: z.string(), flow_version: z.string().optional() }),
  ),
});
const created = z.object({ a2aregistryid: z.string() });

export async function seed(options: SeedOptions): Promise<Seed> {
  const apiKey = await issueDemoKey();
  const registryId = (await liveAgent(options, apiKey)) ?? (await registerAgent(options, apiKey));
  const { orgid, workspaceid, flowid } = seeded;
  return { orgid, workspaceid, flowid, apiKey, registryId };
}

async function issueDemoKey(): Promise<string> {
  return await issueApiKey({
    id: seeded.keyId,
    orgid: seeded.orgid,
    workspaces: [seeded.workspaceid],
    scopes: permissions,
    issuedAt: Math.floor(Date.now() / 1_000),
    lifetimeSeconds: 30 * 86_400,
  });
}

/** The seeded agent of an earlier start, unless it was registered for other addresses than today's. */
async function liveAgent(options: SeedOptions, apiKey: string): Promise<string | undefined> {
  const query = new URLSearchParams({
    workspaceid: seeded.workspaceid,
    flowid: seeded.flowid,
    status: 'live',
  });
  const { items } = page.parse(await send(options, apiKey, 'GET', `/api/v1/a2a-registry?${query}`));
  const [live] = items;
  return live?.hosted_url.startsWith(`${options.baseUrl}/`) ? live.a2aregistryid : undefined;
}

async function registerAgent(options: SeedOptions, apiKey: string): Promise<string> {
  const body = await exampleBuild(options.ordersUrl);
  const row = await send(
    options,
    apiKey,
    'POST',
    `/api/v1/a2a-registry?workspaceid=${seeded.workspaceid}`,
    body,
  );
  const { a2aregistryid } = created.parse(row);
  await send(options, apiKey, 'PUT', `/api/v1/a2a-registry/${a2aregistryid}/promote-live`);
  return a2aregistryid;
}

/** The support assistant of `events/flows`, asking the sample shop at the address it has now. */
async function exampleBuild(ordersUrl: string, version = '1.0.0'): Promise<CreateBody> {
  const text = await readFile(new URL('../../events/flows/support-triage.json', import.meta.url), 'utf8');
  return {
    flowid: seeded.flowid,
    flow_version: version,
    visibility: 'organization',
    agent_card: {
      name: 'Support assistant',
      description: 'Answers questions about orders and refunds of the sample shop.',
      tags: ['support', 'orders'],
      skills: [
        {
          id: 'order-status',
          name: 'Order status',
          description: 'Tells where an order is and when it arrives.',
          examples: ['Where is my order 1042?'],
          inputModes: ['text/plain'],
          outputModes: ['text/plain', 'application/json'],
        },
      ],
    },
    flow: JSON.parse(text.replaceAll('http://127.0.0.1:4010', ordersUrl)),
  };
}

async function send(
  { baseUrl }: SeedOptions,
  apiKey: string,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`Seeding failed: ${method} ${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}
