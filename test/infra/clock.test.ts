import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { eventSources } from '#lib/routes/event-sources.ts';
import { clockCount } from '#lib/schedule/due-shards.ts';
import { readEvent } from '#test/support/events.ts';
import { at, deployedTemplate, ofType } from './demo-app.ts';

const template = deployedTemplate();
const schedules = ofType(template, 'AWS::Scheduler::Schedule').map(([, schedule]) => schedule);
const functions = ofType(template, 'AWS::Lambda::Function');
const [fireDueId, fireDue] = functions.find(([id]) => id.startsWith('FireDue')) ?? [];

describe('each clock', () => {
  it('is a schedule that invokes the function for due triggers every minute', () => {
    expect(schedules).toHaveLength(clockCount);
    for (const schedule of schedules)
      expect(schedule).toMatchObject({
        ScheduleExpression: 'rate(1 minute)',
        FlexibleTimeWindow: { Mode: 'OFF' },
        Target: { Arn: { 'Fn::GetAtt': [fireDueId, 'Arn'] }, RetryPolicy: { MaximumRetryAttempts: 0 } },
      });
  });

  it('times out before its next tick, so that ticks do not accumulate', () => {
    expect(fireDue?.Timeout).toBeLessThan(60 * eventSources.fireDue.everyMinutes);
  });

  it("sends the event of the function's sample, each with its own number", () => {
    const inputs = schedules.map((schedule) => JSON.parse(z.string().parse(at(schedule, 'Target.Input'))));
    const event = Object(readEvent(eventSources.fireDue.entry));
    for (const input of inputs) expect(Object.keys(input)).toEqual(Object.keys(event));
    expect(inputs.map(({ clock }) => clock)).toEqual([...Array(clockCount).keys()]);
  });

  it('may invoke only that function, and only for this account', () => {
    const [, role] = ofType(template, 'AWS::IAM::Role').find(([id]) => id.startsWith('ClockRole')) ?? [];
    expect(at(role, 'Policies.0.PolicyDocument.Statement')).toEqual([
      { Action: 'lambda:InvokeFunction', Effect: 'Allow', Resource: { 'Fn::GetAtt': [fireDueId, 'Arn'] } },
    ]);
    expect(at(role, 'AssumeRolePolicyDocument.Statement')).toEqual([
      {
        Action: 'sts:AssumeRole',
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        Effect: 'Allow',
        Principal: { Service: 'scheduler.amazonaws.com' },
      },
    ]);
  });
});
