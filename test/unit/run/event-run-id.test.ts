import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runId } from '#lib/ids.ts';
import { deriveEventRunId } from '#lib/trigger/accept-event.ts';

/** Few letters, so that parts which run into each other are found. */
const part = fc.string({ unit: fc.constantFrom('a', '/', '"', ',', '#'), maxLength: 4 });
const declared_at = fc.option(part, { nil: undefined });
const event = fc.record({ orgid: part, workspaceid: part, flowid: part, declared_at, name: part });

test('events have the same run id exactly if organisation, workspace, flow or declaration, and name are equal', () => {
  fc.assert(
    fc.property(event, event, (one, other) => {
      const same = JSON.stringify(one) === JSON.stringify(other);
      expect(deriveEventRunId(one, one.name) === deriveEventRunId(other, other.name)).toBe(same);
    }),
    { numRuns: 1_000 },
  );
});

test('the id is accepted by every route for runs, and the same in every process', () => {
  const destination = { orgid: 'org', workspaceid: 'ws', flowid: 'flow', declared_at: undefined };
  const id = deriveEventRunId(destination, 'ticket-7');
  expect(runId.safeParse(id).success).toBe(true);
  expect(id[14]).toBe('5');
  expect(id).toBe('4e04cc26-7f93-5ed5-b399-c3d507ac686a');
});
