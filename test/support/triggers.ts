// Declared triggers for tests: each a valid one, of which a test gives what matters.
import type { DeclaredTrigger } from '#lib/trigger/declared-trigger.ts';
import { flow, newRow } from './builders.ts';
import { unique } from './caller.ts';
import { call } from './client.ts';
import type { TestAgent } from './flows.ts';

type Owner = Pick<TestAgent, 'key' | 'workspaceid' | 'flowid'>;

export const triggerBody = ({ flowid }: Pick<Owner, 'flowid'>, some: object = {}) => ({
  trigger_id: unique('trg'),
  kind: 'api',
  flowid,
  ...some,
});

export const declare = async ({ key, workspaceid }: Owner, body: object, headers = {}) =>
  await call('createTrigger', { key, query: { workspaceid }, body, headers });

export async function newTrigger(owner: Owner, some: object = {}): Promise<DeclaredTrigger> {
  return (await declare(owner, triggerBody(owner, some))).body;
}

/** Far away, so that no tick of another test finds it due. */
export const yearly = { cron: '0 6 1 1 *', timezone: 'Europe/Berlin' };

/** Answers with its name and its variables, as a flow of `flowid`. */
export const namedBuild = async (
  owner: Owner & { readonly id: string; readonly orgid: string },
  name: string,
  some: object = {},
) =>
  await newRow(owner, {
    flowid: owner.flowid,
    flow: flow({ nodes: { done: { type: 'end', output: { build: name, env: '{{ env }}' } } } }),
    ...some,
  });

export const setting = async (
  { key, workspaceid }: Owner,
  environment: string,
  some: object,
  headers: Readonly<Record<string, string>> = {},
) =>
  await call('setEnvironment', {
    key,
    params: { environment },
    query: { workspaceid },
    body: { pins: {}, env: {}, ...some },
    headers,
  });

export const readETag = ({ headers }: { readonly headers: Headers }): string => headers.get('etag') ?? '';
