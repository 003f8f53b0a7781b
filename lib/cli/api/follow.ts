// Follows a run until it ends: prints its log and what it says, and reconnects where the stream ends before the run.
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { CommandFailure } from '../command-failure.ts';
import { exitCodes } from '../exit-codes.ts';
import { readEvents, type ServerEvent } from './events.ts';
import { networkFailure } from './problem.ts';
import { open } from './request.ts';
import type { Target } from './target.ts';

/** Members that a later service adds pass through. */
const runEvent = z.looseObject({
  status: z.string(),
  logs: z
    .array(
      z.looseObject({
        event: z.string(),
        level: z.enum(['info', 'warn', 'error']),
        message: z.string(),
        node_id: z.string().optional(),
        scope: z.string().optional(),
        duration_ms: z.number().optional(),
      }),
    )
    .default([]),
  replies: z.array(z.looseObject({ text: z.string().optional(), data: z.json().optional() })).default([]),
  texts: z.array(z.looseObject({ key: z.string(), text: z.string() })).default([]),
  response: z.json().optional(),
  error: z.string().nullish(),
  failure: z.unknown().optional(),
  input_requests: z.array(z.looseObject({ prompt: z.string() })).optional(),
  needs: z.unknown().optional(),
});
export type RunEvent = z.infer<typeof runEvent>;

const ended: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled']);
const hasEnded = (status: string): boolean => ended.has(status);

const triesMax = 5;
const pauseMs = 1_000;

/** Also that there is no run: no worker may have taken its event yet. Who only looks at a run is not made to wait. */
const mayPass = ({ members: { retry, code } }: CommandFailure): boolean =>
  retry === true || code === 'run_not_found';

/** Yields each event once, until the run has ended. */
export async function* followRun(target: Target, workflow_id: string): AsyncGenerator<RunEvent> {
  let last: string | undefined;
  let failures = 0;
  for (let status = 'pending'; !hasEnded(status); ) {
    try {
      const response = await open(target, 'followRun', 'Following the run', {
        params: { workflow_id },
        headers: last === undefined ? {} : { 'last-event-id': last },
      });
      // The run has ended, and its last event was received.
      if (response.status === 204) return;
      for await (const event of readEvents(response)) {
        const content = readEvent(event);
        [last, status, failures] = [event.id ?? last, content.status, 0];
        yield content;
      }
    } catch (error) {
      failures += 1;
      if (error instanceof CommandFailure && !mayPass(error)) throw error;
      if (failures > triesMax)
        throw error instanceof CommandFailure
          ? error
          : networkFailure('Following the run', target.url, error);
      await setTimeout(failures * pauseMs);
    }
  }
}

function readEvent({ name, data }: ServerEvent): RunEvent {
  if (name !== 'unauthenticated') return runEvent.parse(data);
  throw new CommandFailure('Following the run failed: the credentials were revoked or have expired.', {
    exitCode: exitCodes.credentials,
  });
}
