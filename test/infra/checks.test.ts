import { Queue } from 'aws-cdk-lib/aws-sqs';
import { type App, Stack } from 'aws-cdk-lib/core';
import { describe, expect, it } from 'vitest';
import { acknowledgements, addChecks } from '#lib/infra/acknowledgements.ts';
import type { Tenant } from '#lib/infra/tenant.ts';
import { fullTenant, tenantLike, withApp } from './demo-app.ts';

const tenants = [
  tenantLike(),
  fullTenant(),
  tenantLike({ id: 'gradual', gradualUpdates: true, storageStack: true }),
];

/** What stops the synth; empty when nothing does. */
function findings(
  checked: readonly Tenant[],
  accepted = acknowledgements,
  change: (app: App) => void = () => {},
) {
  return withApp(checked, (app) => {
    change(app);
    addChecks(app, checked, accepted);
    try {
      app.synth();
      return '';
    } catch (error) {
      return String(error);
    }
  });
}

describe('cdk-nag', () => {
  it('has no findings for the stacks of plain and of fully configured tenants', () => {
    expect(findings(tenants)).toBe('');
  });

  it('stops a synth with a finding that is not acknowledged', () => {
    const openQueue = (app: App) => void new Queue(new Stack(app, 'Careless'), 'Open');
    expect(findings([tenantLike()], acknowledgements, openQueue)).toMatch(/AwsSolutions-SQS4/);
  });

  it('would report each acknowledged finding, so that no row is obsolete', () => {
    const reported = findings(tenants, []);
    expect(acknowledgements.map(({ rule }) => rule).filter((rule) => !reported.includes(rule))).toEqual([]);
  });

  it('has a reason for each acknowledged finding', () => {
    for (const { reason } of acknowledgements) expect(reason).toMatch(/^[A-Z].{30,}\.$/);
  });
});
