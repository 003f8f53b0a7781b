// Who asks the registry in the bench, and how.
import { issueApiKey } from '#lib/access/api-key.ts';
import { permissions } from '#lib/access/permission.ts';

export interface Bench {
  readonly baseUrl: string;
}

export interface Owner {
  readonly baseUrl: string;
  readonly key: string;
  readonly orgid: string;
  readonly workspaceid: string;
}

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
  const response = await fetch(owner.baseUrl + path, {
    method,
    headers: { 'x-api-key': owner.key, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status >= 500 || (method === 'GET' && !response.ok))
    throw new Error(`${method} ${path}: ${text}`);
  return { status: response.status, text };
}
