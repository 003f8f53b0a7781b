import { streamEndpoint } from '#lib/api/endpoint.ts';
import { withHeartbeat } from '#lib/api/heartbeat.ts';
import { triggerRoutes } from '#lib/api/trigger-routes.ts';
import { cancelAbandoned } from '#lib/run/cancel-abandoned.ts';
import type { StartedRun } from '#lib/run/run-inline.ts';
import { startTrigger } from '#lib/run/start-trigger.ts';
import { runResult } from '#lib/run/state.ts';

export const { handler, buffered } = streamEndpoint(
  triggerRoutes.triggerFlow,
  async ({ caller, params, body, ...request }) => {
    const started = await startTrigger(caller, params, body, request);
    return {
      stream: withHeartbeat(resultOf(started), ' '),
      contentType: 'application/json',
      onLeave: () => cancelAbandoned(started, request.log),
    };
  },
);

async function* resultOf({ run, finish }: StartedRun): AsyncGenerator<string> {
  yield JSON.stringify(runResult(run.run_id, await finish()));
}
