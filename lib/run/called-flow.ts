// The flows that a flow may call: those of its workspace that are live. A call that is resumed after a pause
// finds the build with which it began, or nothing.
import { readFirstSettings } from '#lib/environment/environment-items.ts';
import type { FlowRequest, FoundFlow } from '#lib/flow/engine/node-context.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { readFlow, readRow } from '#lib/registry/row/row-items.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import { loadFlow } from './load-flow.ts';
import { findMissing } from './missing-connections.ts';
import type { StoredRun } from './stored-run.ts';

type Caller = Pick<StoredRun, 'orgid' | 'workspaceid' | 'caller_id' | 'environment'>;
type CalledFlow = Omit<FoundFlow, 'ports'>;

/** Throws `NodeError`. */
export async function findCalledFlow(caller: Caller, { flowid, build }: FlowRequest): Promise<CalledFlow> {
  const row = build === undefined ? await readLiveBuild(caller, flowid) : await readSameBuild(build, flowid);
  const flow = await loadFlow(row);
  const missing = await findMissing(caller, flow.connections);
  if (missing.length > 0)
    throw new NodeError(
      'connection.missing',
      `The flow "${flowid}" needs connections that have no value: ${missing.join(', ')}.`,
    );
  const { env } = await readFirstSettings(row, caller.environment);
  return { flow, flowid, build: buildName(row), env };
}

const buildName = (row: StoredRow) => `${row.a2aregistryid} ${row.payload_id}`;

async function readLiveBuild({ orgid, workspaceid }: Caller, flowid: string): Promise<StoredRow> {
  const flow = await readFlow(flowid, orgid, workspaceid);
  const row = flow?.live === undefined ? undefined : await readRow(flow.live);
  if (row) return row;
  throw new NodeError('flow.not_found', `The workspace has no live build of the flow "${flowid}".`);
}

async function readSameBuild(build: string, flowid: string): Promise<StoredRow> {
  const [id = ''] = build.split(' ');
  const row = await readRow(id);
  if (row && buildName(row) === build) return row;
  throw new NodeError(
    'flow.gone',
    `The build of the flow "${flowid}" that was called is not there any more.`,
  );
}
