// What became of the runs that were sent to the sinks of environments, in the control table: one item for each endpoint of an
// environment, so that a new endpoint begins anew. It is written when something goes wrong, and when a minute has passed.

import { controlTable } from '#lib/dynamo/client.ts';
import { getItem, updateItem } from '#lib/dynamo/items.ts';
import { computeFingerprint } from '#lib/fingerprint.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import type { Environment } from './environment.ts';
import { type SinkState, sinkState } from './telemetry-sink.ts';

export interface SinkScope extends WorkspaceScope {
  readonly environment: Environment;
  readonly endpoint: string;
}

const itemKey = ({ orgid, workspaceid, environment, endpoint }: SinkScope) => ({
  pk: `SINK#${orgid}#${workspaceid}`,
  sk: `${environment}#${computeFingerprint([endpoint])}`,
});

const stored = sinkState.strip();

/** One read. */
export async function readSinkState(scope: SinkScope): Promise<SinkState> {
  const item = await getItem(controlTable, itemKey(scope));
  return item ? stored.parse(item) : { dropped_runs: 0, rejected_spans: 0 };
}

export interface SinkNews {
  readonly exportedAt?: string;
  readonly error?: SinkState['last_error'];
  readonly droppedRuns?: number;
  readonly rejectedSpans?: number;
}

/** One write. */
export async function noteSink(scope: SinkScope, news: SinkNews): Promise<void> {
  const { exportedAt, error, droppedRuns = 0, rejectedSpans = 0 } = news;
  const sets = [
    ...(exportedAt === undefined ? [] : ['last_exported_at = :exported']),
    ...(error === undefined ? [] : ['last_error = :error']),
  ];
  await updateItem(controlTable, itemKey(scope), {
    UpdateExpression: `${sets.length > 0 ? `SET ${sets.join(', ')} ` : ''}ADD dropped_runs :dropped, rejected_spans :rejected`,
    ExpressionAttributeValues: {
      ':dropped': droppedRuns,
      ':rejected': rejectedSpans,
      ...(exportedAt !== undefined && { ':exported': exportedAt }),
      ...(error !== undefined && { ':error': error }),
    },
  });
}
