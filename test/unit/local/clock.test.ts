// The local clock: the schedules of a template call their functions.
import { channel } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import { startHost } from '#lib/local/host.ts';
import { fn } from './fixtures/template.ts';

/** For the fixture, which does what the body of a record says. */
const input = (body: string) =>
  JSON.stringify({ Records: [{ messageId: '<aws.scheduler.scheduled-time>', body, attributes: {} }] });
const target = {
  Arn: { 'Fn::GetAtt': ['Work', 'Arn'] },
  RoleArn: { 'Fn::GetAtt': ['Role', 'Arn'] },
  Input: input('ok'),
};
const schedule = (properties: object = {}) => ({
  Type: 'AWS::Scheduler::Schedule',
  Properties: {
    ScheduleExpression: 'rate(1 minute)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: target,
    ...properties,
  },
});
const hostWith = async (properties: object = {}, log = (_line: string) => {}) =>
  await startHost({
    template: {
      Resources: { Work: fn('worker'), Role: { Type: 'AWS::IAM::Role' }, Clock: schedule(properties) },
    },
    dataDir: undefined,
    port: 0,
    log,
  });

test('a tick invokes the function with the input of its schedule and the time', async () => {
  const host = await hostWith();
  const events: unknown[] = [];
  const note = (event: unknown) => void events.push(event);
  channel('fixture:message').subscribe(note);
  await host.tick();
  channel('fixture:message').unsubscribe(note);
  await host.close();
  const messageId = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(events).toEqual([{ Records: [{ messageId, body: 'ok', attributes: {} }] }]);
});

test('a function that fails is logged, and invoked again at the next tick', async () => {
  const lines: string[] = [];
  const host = await hostWith({ Target: { ...target, Input: input('throw') } }, (line) => lines.push(line));
  await host.tick();
  await host.tick();
  await host.close();
  expect(lines).toEqual([expect.stringContaining('Work failed'), expect.stringContaining('Work failed')]);
});

test('a disabled schedule invokes nothing', async () => {
  const host = await hostWith({ State: 'DISABLED' });
  await expect(host.tick()).resolves.toBeUndefined();
  await host.close();
});

test.each([
  [{ ScheduleExpression: 'cron(0 6 * * ? *)' }, /Clock.*rate/s],
  [{ ScheduleExpression: 'at(2027-01-01T00:00:00)' }, /Clock.*rate/s],
  [{ FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 5 } }, /Clock.*flexible/s],
  [{ EndDate: '2027-01-01T00:00:00Z' }, /Clock.*end dates/s],
  [{ Target: { Arn: 'arn:aws:sqs:us-east-1:000000000000:Queue' } }, /Clock.*no function/s],
])('a host that does not support %j does not start, and reports the reason', async (properties, reason) => {
  await expect(hostWith(properties)).rejects.toThrow(reason);
});
