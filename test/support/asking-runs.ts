// Runs that stand still with a question.
import { flow } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { idle } from '#test/support/control.ts';
import { askingFlow, liveAgent } from '#test/support/flows.ts';
import { runState, startedRun } from '#test/support/run-calls.ts';
import type { Upstream } from '#test/support/upstream.ts';

export async function asked(some: Parameters<typeof liveAgent>[0] = { flow: askingFlow() }) {
  const agent = await liveAgent(some);
  const id = await startedRun(agent, 'order 7');
  await idle();
  return { agent, id };
}

/** Two questions in parallel. The node after the first one keeps the worker busy until its gate opens. */
export async function asking(upstream: Upstream) {
  const gate = unique('gate');
  const first = {
    first: { type: 'ask', prompt: 'One?', next: 'slow' },
    slow: { type: 'http', url: `${upstream.url}/gate/${gate}` },
  };
  const second = { second: { type: 'ask', prompt: 'Two?' } };
  const branches = {
    one: { start: 'first', nodes: first },
    two: { start: 'second', nodes: second },
  };
  const nodes = {
    both: { type: 'parallel', branches, next: 'done' },
    done: { type: 'end', output: { two: '{{ nodes.both.two }}' } },
  };
  const egress = [upstream.host];
  const { agent, id } = await asked({ flow: flow({ egress, start: 'both', nodes }) });
  const [one = '', two = ''] = ((await runState(agent, id)).input_requests ?? []).map((each) => each.id);
  return { agent, id, one, two, gate };
}
