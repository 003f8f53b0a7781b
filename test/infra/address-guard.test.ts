// CloudFormation refuses to change the first address of a deployed stack unasked: the parameter that keeps the address, the
// rule that compares it, and what both say in the life of a tenant.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { acceptedAddress } from '#lib/infra/address-guard.ts';
import type { Template } from '#lib/infra/template.ts';
import type { TenantInput } from '#lib/infra/tenant.ts';
import { deployedTemplate, tenantLike } from './demo-app.ts';

const certificateArn = 'arn:aws:acm:eu-central-1:111122223333:certificate/1';
const x = { domainName: 'x.example.com', certificateArn };
const y = { domainName: 'y.example.com', certificateArn };
const atX = { ...x, formerly: 'customDomain' } as const;

/** What CloudFormation reads before it changes anything. Strict, since a rule may use few functions and no resource. */
const guard = z.object({
  Parameters: z.object({
    Address: z.strictObject({ Type: z.literal('String'), Default: z.string(), Description: z.string() }),
  }),
  Rules: z.object({
    AddressStays: z.strictObject({
      Assertions: z.tuple([
        z.strictObject({
          Assert: z.strictObject({
            'Fn::Equals': z.tuple([z.strictObject({ Ref: z.literal('Address') }), z.string()]),
          }),
          AssertDescription: z.string(),
        }),
      ]),
    }),
  }),
});

/** The value of the parameter after an update; throws what the rule says. An update keeps the value unless it is given one. */
function update(template: Template, kept: string | undefined, given?: string): string {
  const { Parameters, Rules } = guard.parse(template);
  const [{ Assert, AssertDescription }] = Rules.AddressStays.Assertions;
  const value = given ?? kept ?? Parameters.Address.Default;
  if (value !== Assert['Fn::Equals'][1]) throw new Error(AssertDescription);
  return value;
}

const templateOf = (addresses: Partial<TenantInput>) => deployedTemplate(tenantLike(addresses));
const accepted = (addresses: Partial<TenantInput>) => acceptedAddress(tenantLike(addresses)).split('=')[1];

describe('a stack', () => {
  it.each<[string, Partial<TenantInput>, string]>([
    ['its stage', {}, 'main'],
    ['its domain', { customDomain: x }, 'x.example.com'],
    ['the first of its domains', { domains: [y, atX], formerStage: 'main' }, 'y.example.com'],
  ])('that is new, or from before the rule, keeps %s', (_, addresses, kept) => {
    expect(update(templateOf(addresses), undefined)).toBe(kept);
    expect(acceptedAddress(tenantLike(addresses))).toBe(`AgentFlow-demo:Address=${kept}`);
  });
});

describe('an update', () => {
  it.each<[string, Partial<TenantInput>, string]>([
    ['nothing of its address', { throttle: { rate: 1, burst: 1 } }, 'main'],
    ['customDomain to the list', { domains: [atX] }, 'x.example.com'],
    ['another domain, second', { domains: [atX, y] }, 'x.example.com'],
    ['the stage behind a domain', { customDomain: x, stageName: 'v2' }, 'x.example.com'],
    ['the end of a former address', { domains: [y] }, 'y.example.com'],
  ])('that changes %s is not refused', (_, addresses, kept) => {
    expect(update(templateOf(addresses), kept)).toBe(kept);
  });

  it.each<[string, Partial<TenantInput>, string]>([
    ['a stage for another', { stageName: 'v2' }, 'main'],
    ['a stage for a domain', { customDomain: x }, 'main'],
    ['a domain for another', { domains: [y] }, 'x.example.com'],
    ['a domain for a stage', {}, 'x.example.com'],
    ['the order of two domains', { domains: [y, atX] }, 'x.example.com'],
  ])('that changes %s is refused, and says how it is deployed', (_, addresses, kept) => {
    const template = templateOf(addresses);
    expect(() => update(template, kept)).toThrow(
      /^The first address of the tenant would become .+ npm run deploy -- demo/,
    );
    expect(() => update(template, kept)).toThrow(`--parameters ${acceptedAddress(tenantLike(addresses))}`);
    expect(update(template, kept, accepted(addresses))).toBe(accepted(addresses));
  });

  it('after one that was accepted keeps the new address', () => {
    const moved = { domains: [y, atX] };
    const kept = update(templateOf(moved), 'x.example.com', accepted(moved));
    expect(update(templateOf({ domains: [y] }), kept)).toBe('y.example.com');
    expect(() => update(templateOf({ domains: [atX] }), kept)).toThrow(/become x\.example\.com/);
  });
});
