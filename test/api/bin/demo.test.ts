// `npm run demo`, as a newcomer runs it.
import { expect, test } from 'vitest';
import { runScript } from '#test/support/run-script.ts';

test('the demo does the main job from registration to the finished run, with a service of its own', async () => {
  const demo = runScript('demo', [], { AGENT_FLOW_HOME: '/nonexistent' });
  expect(await demo.ended, demo.printed()).toBe(0);
  const steps = demo.printed().match(/\d\. [A-Z].*/g);
  expect(steps).toHaveLength(8);
  expect(demo.printed()).toContain('TASK_STATE_COMPLETED');
  expect(demo.printed()).toMatch(/See the finished run[\s\S]*"status":"completed"/);
});
