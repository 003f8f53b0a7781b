// Callers for tests: each with an organisation and a workspace that no other test knows, and an API key for
// them.
import { decodeJwt } from 'jose';
import { issueApiKey } from '#lib/access/api-key.ts';
import { type Permission, permissions } from '#lib/access/permission.ts';

export interface TestCaller {
  readonly key: string;
  /** The principal: the id of the key. */
  readonly id: string;
  readonly orgid: string;
  readonly workspaceid: string;
}

interface CallerOptions {
  readonly orgid?: string;
  readonly workspaces?: readonly string[] | '*';
  readonly scopes?: readonly Permission[];
  /** An hour unless given. */
  readonly lifetimeSeconds?: number;
}

/**
 * Against a deployed stack keys are issued where SIGNING_KEY_ID, TENANT_ID and AWS credentials are set; else
 * API_KEY serves the tests that need no particular caller.
 */
export async function newCaller(options: CallerOptions = {}): Promise<TestCaller> {
  const { API_KEY, SIGNING_KEY_ID } = process.env;
  if (!SIGNING_KEY_ID && API_KEY && Object.keys(options).length === 0) return givenCaller(API_KEY);
  const id = unique('key');
  const orgid = options.orgid ?? unique('org');
  const workspaces = options.workspaces ?? '*';
  const key = await issueApiKey({
    id,
    orgid,
    workspaces,
    scopes: options.scopes ?? permissions,
    issuedAt: Math.floor(Date.now() / 1000),
    lifetimeSeconds: options.lifetimeSeconds ?? 3600,
  });
  return { key, id, orgid, workspaceid: (workspaces === '*' ? undefined : workspaces[0]) ?? unique('ws') };
}

/** A name that no other test has, such as `ws_k3f9x2ab7c`. */
export const unique = (prefix: string): string =>
  `${prefix}_${crypto.randomUUID().replaceAll('-', '').slice(0, 16)}`;

function givenCaller(key: string): TestCaller {
  const { sub, org } = decodeJwt(key);
  return { key, id: String(sub), orgid: String(org), workspaceid: unique('ws') };
}
