// The clocks of the schedules: EventBridge Scheduler calls the function that finds due schedules. A few schedules on AWS
// serve all schedules of the tenant.
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Aws } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { eventSources } from '#lib/routes/event-sources.ts';
import { clockCount } from '#lib/schedule/due-shards.ts';
import { addFunction, type FunctionSurroundings } from './function.ts';

const memoryMegabytes = 512;
const description = 'Queues a run for every schedule that is due';

export function addClock(scope: Construct, surroundings: FunctionSurroundings): LambdaFunction {
  const { entry, timeoutSeconds, uses } = eventSources.fireDue;
  const made = addFunction(
    scope,
    { id: 'FireDue', entry, description, timeoutSeconds, memoryMegabytes, uses },
    surroundings,
  );
  const target = { functionArn: made.functionArn, roleArn: clockRole(scope, made).roleArn };
  for (const clock of Array(clockCount).keys()) addSchedule(scope, clock, target);
  return made;
}

interface ClockTarget {
  readonly functionArn: string;
  readonly roleArn: string;
}

function addSchedule(scope: Construct, clock: number, { functionArn, roleArn }: ClockTarget): void {
  const { everyMinutes } = eventSources.fireDue;
  // The first has the name of the only one that there was before.
  new CfnSchedule(scope, clock === 0 ? 'Clock' : `Clock${clock}`, {
    description: `${description} (${clock + 1} of ${clockCount})`,
    scheduleExpression: `rate(${everyMinutes} ${everyMinutes === 1 ? 'minute' : 'minutes'})`,
    flexibleTimeWindow: { mode: 'OFF' },
    target: {
      arn: functionArn,
      roleArn,
      input: `{"scheduled_at":"<aws.scheduler.scheduled-time>","clock":${clock}}`,
      // The next tick repeats the work of one that could not be delivered.
      retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
    },
  });
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
