// The tenant of the tests has chosen the flow `root-agent`.
import { DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { findRootAgent } from '#lib/registry/find-agent.ts';
import { agentUrls } from '#test/support/a2a.ts';
import { newCaller } from '#test/support/caller.ts';
import { listUrls, verifyBySpecification } from '#test/support/cards.ts';
import { call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';
import { serviceUrl } from '#test/support/service-url.ts';

test('the card of the chosen agent is at the root, as soon as it is live', async () => {
  const before = await call('getRootCard', {});
  expect(before.problem.code).toBe('unauthenticated');
  const agent = await liveAgent({ flowid: 'root-agent', visibility: 'public' });
  const { status, body, headers } = await call('getRootCard', {});
  expect(status).toBe(200);
  expect(listUrls(body)).toEqual([agentUrls(agent).live]);
  expect(headers.get('cache-control')).toBe('public, max-age=60');
  await verifyBySpecification(body);
  expect((await new DefaultAgentCardResolver().resolve(serviceUrl())).name).toBe('Echo');
});

describe('401', () => {
  test('a key that is not valid', async () => {
    expect((await call('getRootCard', { key: 'bad' })).problem.code).toBe('unauthenticated');
    expect((await call('getRootCard', { key: (await newCaller()).key })).status).toBe(200);
  });
});

describe('404', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test('row_not_found where the tenant has chosen no agent', async () => {
    vi.stubEnv('ROOT_AGENT', '');
    await expect(findRootAgent()).rejects.toMatchObject({ code: 'row_not_found' });
  });
});
