// What is decided before the first node runs: whether the connections are there, and whether a snapshot fits
// the flow.
import { expect, test } from 'vitest';
import { checkedFlow, run, scripted } from '../scripted.ts';

const flow = checkedFlow(
  { a: { type: 'transform', output: 1 } },
  {
    connections: {
      crm: { type: 'http_bearer', scope: 'user', label: 'CRM', hosts: ['crm.example'] },
      log: { type: 'http_basic', hosts: ['log.example'] },
    },
  },
);

test('a missing connection is reported, and nothing runs', async () => {
  const recorded = scripted();
  expect(await run(flow, recorded, { missingConnections: ['crm', 'other'] })).toEqual({
    status: 'auth_required',
    needs: [{ connection: 'crm', type: 'http_bearer', scope: 'user', label: 'CRM', hosts: ['crm.example'] }],
  });
  expect(recorded.entries).toEqual([]);
});

test.each([
  [{ version: 1, next: 'a' }, 'version 1'],
  [{ version: 2, next: 'gone' }, 'no node "gone"'],
  [
    { version: 2, next: 'a', entered: { open: { x: { next: 'lost', visits: {}, nodes: {} } } } },
    'no node "lost"',
  ],
])('a snapshot that does not fit fails the run: %j', async (parts, words) => {
  const counts = { steps: 0, modelCalls: 0, tokens: 0, elapsedMs: 0, logSeq: 0 };
  const snapshot = JSON.parse(JSON.stringify({ visits: {}, nodes: {}, ...counts, ...parts }));
  expect(await run(flow, scripted(), { snapshot })).toEqual({
    status: 'failed',
    error: { code: 'snapshot.unfit', message: expect.stringContaining(words) },
  });
});
