// The way of audit records as the template makes it: which logs are subscribed to, who may start the function
// that records, and what happens to what it cannot write.
import { describe, expect, it } from 'vitest';
import { auditLineField } from '#lib/audit/audit-record.ts';
import { mayBeAudited } from '#lib/http/route.ts';
import { functionId } from '#lib/infra/function-id.ts';
import { template as readTemplate, type Template } from '#lib/infra/template.ts';
import { routeList } from '#lib/routes/routes.ts';
import { at, deployedFiles, deployedTemplate, ofType, tenantLike } from './demo-app.ts';

const template = deployedTemplate();
const functions = ofType(template, 'AWS::Lambda::Function');
const subscriptions = ofType(template, 'AWS::Logs::SubscriptionFilter');
const [[recorderId = '', recorder] = []] = functions.filter(([id]) => id.startsWith('RecordAudit'));
const logsPermissions = (some: Template) =>
  ofType(some, 'AWS::Lambda::Permission').filter(([, { Principal }]) => Principal === 'logs.amazonaws.com');
/** The suffix of the stack itself, whichever it is. */
const stackSuffix = {
  'Fn::Select': [
    0,
    { 'Fn::Split': ['-', { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] }] },
  ],
};
const ownLogGroups = {
  'Fn::Join': [
    '',
    [
      'arn:',
      { Ref: 'AWS::Partition' },
      ':logs:',
      { Ref: 'AWS::Region' },
      ':',
      { Ref: 'AWS::AccountId' },
      ':log-group:/agent-flow/demo/*/',
      stackSuffix,
      ':*',
    ],
  ],
};
/** CDK adds eight digits to an id. */
const logGroups = (ids: readonly string[]) => ids.map((id) => `${id}Logs`).sort();

describe('the subscriptions', () => {
  it('exist for the log of each function that may write records, and for no other', () => {
    const subscribed = subscriptions.map(([, { LogGroupName }]) =>
      String(at(LogGroupName, 'Ref')).slice(0, -8),
    );
    const audited = routeList.filter(([, route]) => mayBeAudited(route));
    // The authorizer records what it refuses for its route.
    const names = ['AuthorizeConnector', ...audited.map(([id]) => functionId(id))];
    expect(subscribed.toSorted()).toEqual(logGroups(names).toSorted());
    expect(subscribed).not.toContain('RecordAuditLogs');
  });

  it.each(subscriptions)('%s delivers only records to the function that writes them', (id, filter) => {
    expect(filter).toMatchObject({
      FilterPattern: `{ ${auditLineField} = "*" }`,
      DestinationArn: { 'Fn::GetAtt': [recorderId, 'Arn'] },
    });
    expect(filter.RoleArn).toBeUndefined();
    const [awaited, ...others] = [template.Resources[id]?.DependsOn ?? []].flat();
    expect(others).toEqual([]);
    expect(logsPermissions(template).map(([permission]) => permission)).toContain(awaited);
  });

  it('are permitted for the log groups of the tenant that are made in their stacks', () => {
    const files = deployedFiles().map(([, text]) => readTemplate.parse(JSON.parse(text)));
    const holding = files.filter((file) => ofType(file, 'AWS::Logs::SubscriptionFilter').length > 0);
    expect(holding.length).toBeGreaterThan(5);
    for (const file of files) {
      const own = logsPermissions(file).map(([, properties]) => properties);
      expect(own.map(({ SourceArn }) => SourceArn)).toEqual(holding.includes(file) ? [ownLogGroups] : []);
      for (const properties of own)
        expect(properties).toMatchObject({
          Action: 'lambda:InvokeFunction',
          SourceAccount: { Ref: 'AWS::AccountId' },
        });
    }
  });

  it('match the names of the log groups', () => {
    for (const [, { LogGroupName }] of ofType(template, 'AWS::Logs::LogGroup'))
      expect(at(LogGroupName, 'Fn::Join.1')).toEqual([
        expect.stringMatching(/^\/agent-flow\/demo\/[^/]+\/$/),
        stackSuffix,
      ]);
  });
});

describe('a record', () => {
  it.each(functions)('is printed unchanged by %s, whose log has no format or level setting', (_, made) => {
    expect(Object.keys(Object(made.LoggingConfig))).toEqual(['LogGroup']);
  });

  it('that cannot be written is retried twice within six hours, and then moved to a queue', () => {
    const [[, config] = []] = ofType(template, 'AWS::Lambda::EventInvokeConfig');
    const destination = { 'Fn::GetAtt': [expect.stringMatching(/^AuditDeadLetterQueue/), 'Arn'] };
    expect(config).toMatchObject({
      FunctionName: { Ref: recorderId },
      MaximumRetryAttempts: 2,
      MaximumEventAgeInSeconds: 6 * 3600,
      DestinationConfig: { OnFailure: { Destination: destination } },
    });
  });

  it('is kept as long as the tenant file says, one year by default', () => {
    expect(at(recorder, 'Environment.Variables.AUDIT_RETENTION_DAYS')).toBe('365');
    const longer = ofType(
      deployedTemplate(tenantLike({ auditRetentionDays: 3653 })),
      'AWS::Lambda::Function',
    );
    const [[, made] = []] = longer.filter(([id]) => id === recorderId);
    expect(at(made, 'Environment.Variables.AUDIT_RETENTION_DAYS')).toBe('3653');
  });
});
