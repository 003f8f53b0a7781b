// Branches of a `parallel` node of which one fails while others are paused.
import { expect, test } from 'vitest';
import { driven } from '../driven.ts';
import { checkedFlow, runNodes } from '../scripted.ts';

const branch = (id: string, node: object) => ({ start: id, nodes: { [id]: node } });
const fan = (branches: object) => ({ type: 'parallel', branches });

test('a branch that fails does not decide while an earlier one is paused and may fail too', async () => {
  const late = {
    start: 'rest',
    nodes: {
      rest: { type: 'wait', seconds: 7, next: 'late' },
      late: { type: 'fail', code: 'late', message: 'late' },
    },
  };
  const branches = { late, soon: branch('soon', { type: 'fail', code: 'soon', message: 'soon' }) };
  const flow = checkedFlow({ fan: fan(branches) });
  expect((await driven(flow, {})).outcome).toMatchObject({ error: { code: 'fail.late' } });
  expect((await driven(flow, {}, { isPatient: true })).outcome).toMatchObject({
    error: { code: 'fail.late' },
  });
});

test('a branch that nobody needs any more asks nothing, though one before it still waits', async () => {
  const wait = { type: 'wait', seconds: 60 };
  const branches = {
    first: branch('wait', wait),
    second: branch('fail', { type: 'fail', message: 'No.' }),
    third: branch('sure', { type: 'ask', prompt: 'Sure?' }),
  };
  const { outcome } = await runNodes({ fan: fan(branches) });
  expect(outcome).toMatchObject({ status: 'waiting' });
  expect((await driven(checkedFlow({ fan: fan(branches) }), {})).outcome).toMatchObject({
    error: { code: 'fail' },
  });
});
