// The clock of the schedules: EventBridge Scheduler calls the function that finds due schedules. One schedule
// on AWS serves all schedules of the tenant.
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Aws } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { eventSources } from '#lib/routes/event-sources.ts';
import { addFunction, type FunctionSurroundings } from './function.ts';

const memoryMegabytes = 512;

export function addClock(scope: Construct, surroundings: FunctionSurroundings): LambdaFunction {
  const { entry, everyMinutes, timeoutSeconds, uses } = eventSources.fireDue;
  const description = 'Queues a run for every schedule that is due';
  const made = addFunction(
    scope,
    { id: 'FireDue', entry, description, timeoutSeconds, memoryMegabytes, uses },
    surroundings,
  );
  new CfnSchedule(scope, 'Clock', {
    description,
    scheduleExpression: `rate(${everyMinutes} ${everyMinutes === 1 ? 'minute' : 'minutes'})`,
    flexibleTimeWindow: { mode: 'OFF' },
    target: {
      arn: made.functionArn,
      roleArn: clockRole(scope, made).roleArn,
      input: '{"scheduled_at":"<aws.scheduler.scheduled-time>"}',
      // The next tick repeats the work of one that could not be delivered.
      retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
    },
  });
  return made;
}

/** The condition keeps schedules of other accounts from using the role. */
function clockRole(scope: Construct, made: LambdaFunction): Role {
  const scheduler = new ServicePrincipal('scheduler.amazonaws.com', {
    conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
  });
  const invoke = new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [made.functionArn] });
  return new Role(scope, 'ClockRole', {
    assumedBy: scheduler,
    inlinePolicies: { invoke: new PolicyDocument({ statements: [invoke] }) },
  });
}
