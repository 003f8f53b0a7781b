// The sample data of a new local service: an organisation, a workspace, an API key, invitations of the sample users and
// a live example agent. The agent and the name of the workspace are created through the API of the service, the rest as an
// operator does it.
import * as z from 'zod';
import { issueApiKey } from '#lib/access/api-key.ts';
import { isInForce } from '#lib/access/key-in-force.ts';
import { permissions } from '#lib/access/permission.ts';
import { operatorId } from '#lib/access/principal.ts';
import { type RegistryRow, registryRow } from '#lib/registry/row/row.ts';
import { putInvitation } from '#lib/session/invitation-items.ts';
import { workspace } from '#lib/workspace/workspace.ts';
import { exampleBuild, exampleFlowid } from './example-build.ts';
import { sampleUsers } from './sample-users.ts';
import { type Send, sender } from './send.ts';
import { updateAddresses } from './update-addresses.ts';

const orgid = 'org_demo';
const workspaceid = 'ws_demo';

export interface Seed {
  readonly orgid: string;
  readonly workspaceid: string;
  readonly flowid: string;
  readonly apiKey: string;
  /** The id of the live build. */
  readonly registryId: string;
}

export interface Seeded extends Seed {
  readonly keyId: string;
  readonly buildNo: number;
}

interface SeedOptions {
  readonly baseUrl: string;
  readonly ordersUrl: string;
  /** The address of the shop at the last start. */
  readonly formerOrdersUrl?: string | undefined;
  readonly log?: (line: string) => void;
}

const page = z.object({ items: z.array(registryRow) });

export async function seed(options: SeedOptions): Promise<Seeded> {
  await inviteSampleUsers();
  const keyId = await keyIdInForce();
  const apiKey = await issueDemoKey(keyId);
  const send = sender({ baseUrl: options.baseUrl, apiKey });
  await nameWorkspace(send);
  const live = await liveBuild(send);
  const build = live ? await upToDate(live, options, send) : await registerExample(options.ordersUrl, send);
  const { a2aregistryid: registryId, build_no: buildNo } = build;
  return { orgid, workspaceid, flowid: exampleFlowid, apiKey, registryId, keyId, buildNo };
}

const invitedMs = 365 * 86_400_000;

/** At each start, as the issuer may be another one. Who is a member already stays what they are. */
async function inviteSampleUsers(): Promise<void> {
  const now = Date.now();
  for (const { email, role } of sampleUsers)
    await putInvitation({
      email,
      orgid,
      roles: { '*': role },
      created_at: new Date(now).toISOString(),
      created_by: operatorId,
      expires_at: new Date(now + invitedMs).toISOString(),
    });
}

/**
 * The same key at each start, until it is revoked. A revoked key stays revoked, so the next number is used.
 */
async function keyIdInForce(): Promise<string> {
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? 'key_demo' : `key_demo_${n}`;
    if (await isInForce({ id, isRegistered: false }, new Date())) return id;
  }
}

async function issueDemoKey(id: string): Promise<string> {
  return await issueApiKey({
    id,
    orgid,
    workspaces: [workspaceid],
    scopes: permissions,
    issuedAt: Math.floor(Date.now() / 1_000),
    lifetimeSeconds: 30 * 86_400,
  });
}

/** Members with all workspaces see and give roles in those that have a name. One that a user has given stays. */
async function nameWorkspace(send: Send): Promise<void> {
  const path = `/api/v1/workspaces/${workspaceid}`;
  const { name } = workspace.parse(await send(`GET ${path}`));
  if (name === undefined) await send(`PUT ${path}`, { name: 'Demo' });
}

/** A build that a user promoted stays live. */
async function liveBuild(send: Send): Promise<RegistryRow | undefined> {
  const query = new URLSearchParams({ workspaceid, flowid: exampleFlowid, status: 'live' });
  const { items } = page.parse(await send(`GET /api/v1/a2a-registry?${query}`));
  return items[0];
}

/** The service starts even if the build cannot be updated. */
async function upToDate(build: RegistryRow, options: SeedOptions, send: Send): Promise<RegistryRow> {
  try {
    return await updateAddresses(build, options, send);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    options.log?.(`The live build of ${exampleFlowid} may contain addresses of an earlier start: ${reason}`);
    return build;
  }
}

async function registerExample(ordersUrl: string, send: Send): Promise<RegistryRow> {
  const body = await exampleBuild(ordersUrl);
  const row = await send(`POST /api/v1/a2a-registry?workspaceid=${workspaceid}`, body);
  const { a2aregistryid } = registryRow.parse(row);
  const promotion = `/api/v1/a2a-registry/${a2aregistryid}/promote-live?expected_live=none`;
  return registryRow.parse(await send(`PUT ${promotion}`));
}
