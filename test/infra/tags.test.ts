// CloudFormation gives the tags of a stack to all that it creates, so a test of the stack is one of everything.
import { describe, expect, it } from 'vitest';
import { tenantLike, withApp } from './demo-app.ts';

/** The tags with which the CDK deploys each stack. */
const deployedTags = (tenant = tenantLike()) =>
  withApp([tenant], (app) =>
    Object.fromEntries(app.synth().stacks.map(({ stackName, tags }) => [stackName, tags])),
  );

describe('the tags', () => {
  it('of a tenant are the tenant, the service, and those of its file', () => {
    const tags = { 'cost-center': '4711', team: 'Zürich/support' };
    expect(deployedTags(tenantLike({ tags }))['AgentFlow-demo']).toEqual({
      ...tags,
      tenant: 'demo',
      service: 'agent-flow',
    });
  });

  it('of the shared stack belong to no tenant', () => {
    expect(deployedTags(tenantLike({ tags: { team: 'a' } }))['AgentFlow-Shared']).toEqual({
      service: 'agent-flow',
    });
  });

  it.each([
    ['a key of the stack itself', { tenant: 'other' }, /tags\.tenant/],
    ['a key that AWS reserves', { 'AWS:team': 'a' }, /aws:/],
    ['a character that AWS refuses', { team: 'a<b' }, /tags\.team: must be letters/],
    ['a value of 257 characters', { team: 'a'.repeat(257) }, /tags\.team/],
    ['too many', Object.fromEntries(Array.from({ length: 49 }, (_, n) => [`t${n}`, ''])), /at most 48 tags/],
  ])('refuse %s', (_, tags, message) => {
    expect(() => tenantLike({ tags })).toThrow(message);
  });
});
