// Who asks the registry in the bench, and how.
import * as z from 'zod';
import { issueApiKey } from '#lib/access/api-key.ts';
import { permissions } from '#lib/access/permission.ts';
import { retryOverload } from '#test/support/retry-overload.ts';

export interface Bench {
  readonly baseUrl: string;
}

export const owner = z.object({
  baseUrl: z.string(),
  key: z.string(),
  orgid: z.string(),
  workspaceid: z.string(),
});
export type Owner = Readonly<z.infer<typeof owner>>;

export const rowPath = '/api/v1/a2a-registry';

export async function newOwner({ baseUrl }: Bench, orgid: string): Promise<Owner> {
  const key = await issueApiKey({
    id: `key_${orgid}`,
    orgid,
    workspaces: '*',
    scopes: permissions,
    issuedAt: Math.floor(Date.now() / 1_000),
    lifetimeSeconds: 3_600,
  });
  return { baseUrl, key, orgid, workspaceid: 'ws_bench' };
}

export async function request(owner: Owner, method: string, path: string, body?: object) {
  const response = await retryOverload(() =>
    fetch(owner.baseUrl + path, {
      method,
      headers: { 'x-api-key': owner.key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  if (response.status >= 500 || (method === 'GET' && !response.ok))
    throw new Error(`${method} ${path}: ${text}`);
  return { status: response.status, text };
}

const created = z.object({ a2aregistryid: z.string() });

/** Registers a build of the smallest flow, and gives its id. */
export async function newBuild(owner: Owner, flowid: string): Promise<string> {
  const skill = { id: 'echo', name: 'Echo', description: 'Repeats the message.', tags: ['echo'] };
  const { text } = await request(owner, 'POST', `${rowPath}?workspaceid=${owner.workspaceid}`, {
    flowid,
    agent_card: { name: 'Echo', description: 'Says what it hears.', skills: [skill] },
    flow: { version: 1, name: 'Echo', start: 'done', nodes: { done: { type: 'end', output: { said: 1 } } } },
  });
  return created.parse(JSON.parse(text)).a2aregistryid;
}

/** The smallest flow, live. */
export async function promoteBuild(owner: Owner): Promise<{ readonly flowid: string }> {
  const flowid = `flow_${crypto.randomUUID()}`;
  await request(owner, 'PUT', `${rowPath}/${await newBuild(owner, flowid)}/promote-live`);
  return { flowid };
}
