import { streamEndpoint } from '#lib/api/endpoint.ts';
import { withHeartbeat } from '#lib/api/heartbeat.ts';
import { triggerRoutes } from '#lib/api/trigger-routes.ts';
import type { Log } from '#lib/log.ts';
import { cancelWhenLeft } from '#lib/run/cancel-abandoned.ts';
import type { StartedRun } from '#lib/run/run-inline.ts';
import { resultOf, startTrigger } from '#lib/run/start-trigger.ts';

export const { handler, buffered } = streamEndpoint(
  triggerRoutes.triggerFlow,
  async ({ caller, params, body, ...request }) => {
    const started = await startTrigger(caller, params, body, request);
    cancelWhenLeft(started, request);
    return {
      stream: withHeartbeat(resultText(started, request.log), { beat: ' ' }),
      contentType: 'application/json',
    };
  },
);

async function* resultText(started: StartedRun, log: Log): AsyncGenerator<string> {
  yield JSON.stringify(await resultOf(started, log));
}
