import { describe, expect, test } from 'vitest';
import {
  buildReference,
  declaredTriggerId,
  deriveRunId,
  flowid,
  newPayloadId,
  newRegistryId,
  newRunId,
  newTriggerId,
  orgid,
  registryId,
  runId,
  triggerReference,
  workspaceid,
} from '#lib/ids.ts';

const good = ['a', 'A1', '0', 'support-triage', 'a.b_c-d', 'x'.repeat(64)];
const bad = [
  '',
  '-a',
  '.a',
  '_a',
  'a b',
  'a/b',
  'a#b',
  'a*',
  'ä',
  'a\n',
  'a\u0000',
  'x'.repeat(65),
  '__proto__',
  '..',
];

describe.each(Object.entries({ flowid, workspaceid, orgid }))('%s', (_name, schema) => {
  test.each(good)('accepts %j', (id) => expect(schema.safeParse(id).success).toBe(true));
  test.each(bad)('refuses %j', (id) => expect(schema.safeParse(id).success).toBe(false));
});

test.each(['agents', 'mcp', 'tasks', 'extendedAgentCard'])(
  '"%s" is part of hosted URLs and so no flowid',
  (id) => {
    expect(flowid.safeParse(id).success).toBe(false);
  },
);

test.each(['trg_a', 'trg_nightly.report-1', newTriggerId(), `trg_${'x'.repeat(60)}`])(
  '"%s" is the id of a trigger and so no flowid, but stands where either may',
  (id) => {
    expect(declaredTriggerId.safeParse(id).success).toBe(true);
    expect(flowid.safeParse(id).success).toBe(false);
    expect(triggerReference.safeParse(id).success).toBe(true);
  },
);

test.each(['trg_', 'trg_-a', 'trg_a b', 'TRG_a', 'nightly', `trg_${'x'.repeat(61)}`])(
  '"%s" is no id of a trigger',
  (id) => expect(declaredTriggerId.safeParse(id).success).toBe(false),
);

test('the run id of a text is always the same', () => {
  expect(runId.safeParse(deriveRunId('a')).success).toBe(true);
  expect(deriveRunId('a')).toBe(deriveRunId('a'));
  expect(deriveRunId('b')).not.toBe(deriveRunId('a'));
});

test('a new registry id is valid, and ids sort by time', () => {
  const id = newRegistryId();
  expect(registryId.safeParse(id).success).toBe(true);
  expect(buildReference.safeParse(id).success).toBe(true);
  expect(newRegistryId() > `${id.slice(0, 10)}`).toBe(true);
});

test.each(['build-1', 'build-42', 'build-100000'])('"%s" names a build', (reference) => {
  expect(buildReference.safeParse(reference).success).toBe(true);
});

test.each([
  'build-0',
  'build--1',
  'build-1.5',
  'build-',
  'build-a',
  'build-1e3',
  'Build-1',
  'reg_1',
  ' build-1',
])('"%s" is not a reference', (reference) => {
  expect(buildReference.safeParse(reference).success).toBe(false);
});

test('a new run id is a UUID of version 7, so that runs sort by time', () => {
  expect(runId.safeParse(newRunId()).success).toBe(true);
  expect(newRunId()[14]).toBe('7');
});

test('payload ids differ', () => {
  expect(new Set(Array.from({ length: 100 }, newPayloadId)).size).toBe(100);
});
