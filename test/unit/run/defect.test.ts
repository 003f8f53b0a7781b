// The cause of a defect in the operator's log: enough to find it, nothing that looks like a credential, and
// no line without end.
import { expect, test } from 'vitest';
import { logDefect } from '#lib/run/end.ts';
import { recordingLog } from '#test/support/recording-log.ts';

function logged(cause: unknown): string {
  const lines: unknown[] = [];
  const log = recordingLog((_message, fields) => lines.push(fields));
  const message = 'The node failed unexpectedly.';
  logDefect(log, { run_id: 'run-1' }, { code: 'internal', message, node_id: 'a', cause });
  expect(lines).toHaveLength(1);
  return JSON.stringify(lines);
}

test('an error is described by name, message and stack', () => {
  const line = logged(new TypeError('x is not a function'));
  for (const part of ['run-1', '"node_id":"a"', 'TypeError: x is not a function', 'defect.test.ts'])
    expect(line).toContain(part);
});

test.each(['text', 7, null, undefined, { code: 'D1' }])(
  '%j, which is not an Error, is described too',
  (cause) => {
    expect(logged(cause)).toContain('"reason":"');
  },
);

test.each(['Bearer canary-7f3a9c', 'sk-canary7f3a9c0000', 'AKIACANARY7F3A9C0000'])(
  'what looks like a credential is left out of message and stack: %s',
  (secret) => {
    expect(logged(new Error(`Invalid header: ${secret}`))).not.toMatch(/canary/i);
  },
);

test('a long message is truncated', () => {
  expect(logged(new Error('x'.repeat(1_000_000))).length).toBeLessThan(10_000);
});
