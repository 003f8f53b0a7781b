import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseTenant } from '#lib/infra/tenant.ts';
import { eventSources } from '#lib/routes/event-sources.ts';
import { queueWaitMs } from '#lib/run/stored-run.ts';
import { at, deployedTemplate, everySetting, ofType, tenantLike } from './demo-app.ts';

const template = deployedTemplate(tenantLike({ alarmEmail: 'ops@example.com' }));
const tables = ofType(template, 'AWS::DynamoDB::Table');
const keys = ofType(template, 'AWS::KMS::Key');
const queues = ofType(template, 'AWS::SQS::Queue');
const metricAlarms = ofType(template, 'AWS::CloudWatch::Alarm');
/** A composite alarm notifies in place of those that it combines. */
const isWindow = ([id]: (typeof metricAlarms)[number]) => /^ErrorBudget\w+(Long|Short)/.test(id);
const alarms = [
  ...metricAlarms.filter((alarm) => !isWindow(alarm)),
  ...ofType(template, 'AWS::CloudWatch::CompositeAlarm'),
];
const topicPolicies = ofType(template, 'AWS::SNS::TopicPolicy').map(([, policy]) => policy);
const mappings = ofType(template, 'AWS::Lambda::EventSourceMapping');

const startingWith = (rows: typeof tables, name: string) => rows.find(([id]) => id.startsWith(name));

describe('the tables', () => {
  const often = ['generation', 'lease', 'lease_until', 'updated_at', 'claims', 'input'];
  it.each(tables)(
    '%s is encrypted, can be restored to any second, expires items and cannot be deleted by accident',
    (_, table) => {
      expect(table).toMatchObject({
        BillingMode: 'PAY_PER_REQUEST',
        SSESpecification: { SSEEnabled: true },
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
        DeletionProtectionEnabled: true,
      });
    },
  );

  it.each([
    ['ControlTable', ['gsi1', 'gsi2', 'gsi3'], { ProjectionType: 'ALL' }],
    // Nothing that changes with every event of a run: it would be written to all indexes each time.
    [
      'RunsTable',
      ['gsi1', 'gsi2', 'gsi3'],
      { ProjectionType: 'INCLUDE', NonKeyAttributes: expect.not.arrayContaining(often) },
    ],
  ])('%s has the indexes %j', (name, indexes, projection) => {
    const table = startingWith(tables, name)?.[1];
    expect(table?.KeySchema).toEqual([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ]);
    expect(table?.GlobalSecondaryIndexes ?? []).toEqual(
      indexes.map((index) => ({
        IndexName: index,
        KeySchema: [
          { AttributeName: `${index}pk`, KeyType: 'HASH' },
          { AttributeName: `${index}sk`, KeyType: 'RANGE' },
        ],
        Projection: projection,
      })),
    );
  });
});

describe('the bucket of files', () => {
  const [[, bucket] = ['', {}]] = ofType(template, 'AWS::S3::Bucket');

  it('is private, encrypted under the key of the tenant, and reached by TLS only', () => {
    const blocks = ['BlockPublicAcls', 'BlockPublicPolicy', 'IgnorePublicAcls', 'RestrictPublicBuckets'];
    expect(bucket).toMatchObject({
      PublicAccessBlockConfiguration: Object.fromEntries(blocks.map((name) => [name, true])),
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
    });
    const [rule] = [at(bucket, 'BucketEncryption.ServerSideEncryptionConfiguration.0')];
    expect(rule).toMatchObject({
      BucketKeyEnabled: true,
      ServerSideEncryptionByDefault: {
        SSEAlgorithm: 'aws:kms',
        KMSMasterKeyID: { 'Fn::GetAtt': [startingWith(keys, 'FlowKey')?.[0], 'Arn'] },
      },
    });
    const policies = ofType(template, 'AWS::S3::BucketPolicy').map(([, policy]) => JSON.stringify(policy));
    expect(policies).toHaveLength(1);
    expect(policies[0]).toContain('"Condition":{"Bool":{"aws:SecureTransport":"false"}},"Effect":"Deny"');
  });

  it('expires its objects a day after their items', () => {
    const expiry = { ExpirationInDays: tenantLike().runRetentionDays + 1, Status: 'Enabled' };
    expect(at(bucket, 'LifecycleConfiguration.Rules')).toEqual([expect.objectContaining(expiry)]);
  });
});

describe('the keys', () => {
  it('the one that encrypts flows rotates', () => {
    expect(startingWith(keys, 'FlowKey')?.[1]).toMatchObject({ EnableKeyRotation: true });
  });

  it('the one that signs creates ES256 signatures', () => {
    expect(startingWith(keys, 'SigningKey')?.[1]).toMatchObject({
      KeySpec: 'ECC_NIST_P256',
      KeyUsage: 'SIGN_VERIFY',
    });
  });
});

describe('the queues', () => {
  const consumed = [
    ['RunQueue', 'RunQueued', eventSources.runQueued],
    ['RunDeadLetterQueue', 'KeepDeadLetter', eventSources.keepDeadLetter],
    ['DeliveryQueue', 'DeliverCallback', eventSources.deliverCallback],
  ] as const;

  it.each(consumed)('%s hides a message for at least six times as long as %s may take', (name, _, source) => {
    const [, queue] = startingWith(queues, name) ?? [];
    expect(queue?.VisibilityTimeout).toBeGreaterThanOrEqual(6 * source.timeoutSeconds);
  });

  it.each([
    ['RunQueue', 'RunDeadLetterQueue'],
    ['DeliveryQueue', 'DeliveryDeadLetterQueue'],
  ])('%s moves a message to a dead-letter queue after five attempts', (name, aside) => {
    expect(startingWith(queues, name)?.[1].RedrivePolicy).toEqual({
      deadLetterTargetArn: { 'Fn::GetAtt': [startingWith(queues, aside)?.[0], 'Arn'] },
      maxReceiveCount: 5,
    });
  });

  const daysKept = (name: string) =>
    Number(startingWith(queues, name)?.[1].MessageRetentionPeriod) / (24 * 3_600);

  it.each([
    ['RunQueue', 'RunDeadLetterQueue'],
    ['DeliveryQueue', 'DeliveryDeadLetterQueue'],
  ])('%s keeps messages for so much shorter than %s that ten days are left there', (name, aside) => {
    // A message keeps its age when it is moved.
    expect(daysKept(aside) - daysKept(name)).toBe(10);
  });

  it.each(['RunQueue', 'DeliveryQueue'])(
    '%s keeps messages longer than a run may wait in its queue',
    (name) => {
      expect(daysKept(name) * 24 * 3_600_000).toBeGreaterThan(7 * queueWaitMs);
    },
  );

  it.each(queues)('%s is encrypted at rest and refuses connections without TLS', (id, properties) => {
    expect(properties.SqsManagedSseEnabled).toBe(true);
    const policy = ofType(template, 'AWS::SQS::QueuePolicy').find(
      ([, { Queues }]) => at(Queues, '0.Ref') === id,
    )?.[1];
    expect(at(policy, 'PolicyDocument.Statement.0')).toMatchObject({
      Effect: 'Deny',
      Action: 'sqs:*',
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    });
  });

  it.each(consumed)('%s is read by %s in batches that can fail partially', (name, worker, source) => {
    const mapping = startingWith(mappings, worker)?.[1];
    expect(at(mapping, 'EventSourceArn.Fn::GetAtt.0')).toBe(startingWith(queues, name)?.[0]);
    expect(mapping).toMatchObject({
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BatchSize: source.batchSize,
    });
  });

  it.each(['RunQueued', 'DeliverCallback'])(
    '%s is exempt from the recursive loop detection of Lambda',
    (name) => {
      const worker = ofType(template, 'AWS::Lambda::Function').find(([id]) => id.startsWith(name))?.[1];
      expect(worker?.RecursiveLoop).toBe('Allow');
    },
  );

  const readConcurrency = (tenant = tenantLike()) =>
    ofType(deployedTemplate(tenant), 'AWS::Lambda::EventSourceMapping').map(
      ([id, mapping]) => [id.slice(0, -8), at(mapping, 'ScalingConfig.MaximumConcurrency')] as const,
    );

  it('are processed with bounded concurrency, which the tenant sets for runs', () => {
    expect(Object.fromEntries(readConcurrency())).toEqual({
      RunQueuedMapping: 100,
      KeepDeadLetterMapping: 2,
      DeliverCallbackMapping: 10,
    });
    const own = Object.fromEntries(readConcurrency(tenantLike({ workerConcurrency: 500 })));
    expect(own.RunQueuedMapping).toBe(500);
  });

  it('are delivered to workers one at a time, so that no two runs share a process', () => {
    const [, mapping] =
      ofType(template, 'AWS::Lambda::EventSourceMapping').find(([id]) => id.startsWith('RunQueued')) ?? [];
    expect(mapping?.BatchSize).toBe(1);
  });

  it.each([1, 1_001])('refuse a tenant with %i concurrent workers', (workerConcurrency) => {
    expect(() => tenantLike({ workerConcurrency })).toThrow(/workerConcurrency/);
  });
});

describe('the queue of unwritten audit records', () => {
  it('keeps them for two weeks', () => {
    const [, queue] = startingWith(queues, 'AuditDeadLetterQueue') ?? [];
    expect(queue?.MessageRetentionPeriod).toBe(14 * 24 * 3600);
  });
});

describe('the alarms', () => {
  const operations = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const articles = [...operations.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title.toLowerCase().replaceAll(' ', '-'),
  );

  it.each([...alarms, ...metricAlarms.filter(isWindow)])(
    '%s names an article that exists',
    (_, { AlarmDescription }) => {
      expect(articles).toContain(
        / See docs\/operations\.md#([a-z0-9-]+)$/.exec(String(AlarmDescription))?.[1],
      );
    },
  );

  it('have a drill in docs/drills.md, or a reason why they have none, whatever the tenant file asks for', () => {
    const drills = readFileSync(new URL('../../docs/drills.md', import.meta.url), 'utf8');
    const covered = [...drills.matchAll(/\(operations\.md#([a-z0-9-]+)\)/g)].map(([, article]) => article);
    const full = deployedTemplate(parseTenant({ ...everySetting(), gradualUpdates: true }, 'test'));
    const all = [
      ...ofType(full, 'AWS::CloudWatch::Alarm'),
      ...ofType(full, 'AWS::CloudWatch::CompositeAlarm'),
    ];
    expect(all.length).toBeGreaterThan(alarms.length);
    for (const [id, { AlarmDescription }] of all) {
      const article = / See docs\/operations\.md#([a-z0-9-]+)$/.exec(String(AlarmDescription))?.[1];
      expect(articles, `${id} names no section of docs/operations.md`).toContain(article);
      expect(
        covered,
        `${id} has no drill: add one to test/support/drills, or a reason to notDrilled`,
      ).toContain(article);
    }
  });

  it.each(alarms)("%s writes to the tenant's operator", (_, alarm) => {
    expect(alarm.AlarmActions).toEqual([{ Ref: expect.stringMatching(/^Alarms/) }]);
  });

  it.each(metricAlarms)('%s is quiet without traffic', (_, alarm) => {
    expect(alarm.TreatMissingData).toBe('notBreaching');
  });

  it.each(alarms)('%s, whose name begins like the stack, may publish to its topic', (_, alarm) => {
    const ownName = { 'Fn::Join': ['', [{ Ref: 'AWS::StackName' }, expect.stringMatching(/^-/)]] };
    expect(alarm.AlarmName ?? ownName).toEqual(ownName);
    const [topic] = [alarm.AlarmActions].flat();
    const own = { Ref: 'AWS::AccountId' };
    const alarmArn = ['arn:', { Ref: 'AWS::Partition' }, ':cloudwatch:', { Ref: 'AWS::Region' }, ':', own];
    const named = [...alarmArn, ':alarm:', { Ref: 'AWS::StackName' }, '-*'];
    const allowed = {
      Sid: 'AllowAlarmsOfStack',
      Effect: 'Allow',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Action: 'sns:Publish',
      Resource: topic,
      Condition: {
        StringEquals: { 'aws:SourceAccount': own },
        ArnLike: { 'aws:SourceArn': { 'Fn::Join': ['', named] } },
      },
    };
    expect(topicPolicies).toContainEqual({
      Topics: [topic],
      PolicyDocument: expect.objectContaining({ Statement: expect.arrayContaining([allowed]) }),
    });
  });

  it.each(metricAlarms)(
    '%s uses at most the ten metrics that CloudWatch allows in a sum',
    (_, { Metrics = [] }) => {
      expect([Metrics].flat().length).toBeLessThanOrEqual(11); // and the expression itself
    },
  );

  it('cover dead letters, backlogs, late schedules, crashes, throttling, failed requests, budgets, unreadable payloads and lost records', () => {
    expect(alarms.map(([id]) => id.replace(/[0-9A-F]{8}$/, '')).sort()).toEqual([
      'AuditDeadLettered',
      'AuditLost',
      'BudgetExhausted',
      'DeadLettersStuck',
      'DeliveriesDeadLettered',
      'ErrorBudgetBurnsFast',
      'ErrorBudgetBurnsSlowly',
      'FunctionsThrottled',
      'PayloadsUnreadable',
      'RunsDeadLettered',
      'RunsWaiting',
      'SchedulesFailing',
      'SchedulesSkipped',
      'TablesThrottled',
      'WorkerErrors',
    ]);
  });
});
