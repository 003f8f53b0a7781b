// Warns about flows that a flow calls and that its workspace does not have, or has no live build of: each call of
// them would fail.
import { batchGet, batchGetMax } from '#lib/dynamo/batch.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { queryFirst } from '#lib/dynamo/query.ts';
import { type FlowReference, findCalledFlows } from '#lib/flow/check/called-flows.ts';
import type { Warning } from '#lib/flow/check/mistake.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import { nearName } from '#lib/flow/format/near-name.ts';
import { someNames, suggesting } from '#lib/flow/format/some-names.ts';
import { mistakesMax } from '#lib/mistakes.ts';
import { flowKey, flowsIndex } from './row/row-items.ts';
import { type StoredFlow, type StoredRow, storedFlow } from './row/stored-row.ts';

type Owner = Pick<StoredRow, 'orgid' | 'workspaceid' | 'flowid'>;

/** One AWS call if the flow calls others, and one more if one of them does not exist. */
export async function findUnknownFlows(owner: Owner, flow: Flow): Promise<readonly Warning[]> {
  const called = findCalledFlows(flow, batchGetMax);
  if (called.length === 0) return [];
  const flows = await readFlows(owner, called);
  const isLive = ({ flowid }: FlowReference) => flows.get(flowid)?.live !== undefined;
  const [first, ...rest] = called.filter((one) => !isLive(one)).slice(0, mistakesMax);
  if (!first) return [];
  const names = await readLiveNames(owner);
  return [first, ...rest].map(({ flowid, pointer }) => {
    const hasBuild = (flows.get(flowid)?.build_count ?? 0) > 0 || flowid === owner.flowid;
    const detail = hasBuild ? describeNotLive(flowid) : describeUnknown(flowid, names);
    return { pointer, code: 'unknown_flow', detail };
  });
}

async function readFlows({ orgid, workspaceid }: Owner, called: readonly FlowReference[]) {
  const keys = called.map(({ flowid }) => flowKey(flowid, orgid, workspaceid));
  const items = await batchGet(controlTable, keys, { ConsistentRead: true });
  const flows = items.map((item) => storedFlow.parse(item));
  return new Map<string, StoredFlow>(flows.map((flow) => [flow.flowid, flow]));
}

/** Flows among which a name is searched for; the others of a larger workspace are not suggested. */
const namesMax = 200;

/** The flows of the workspace that have a live build, in the order of their ids. */
async function readLiveNames({ orgid, workspaceid }: Owner): Promise<readonly string[]> {
  const query = {
    IndexName: 'gsi1',
    KeyConditionExpression: 'gsi1pk = :pk',
    ExpressionAttributeValues: { ':pk': flowsIndex(orgid, workspaceid) },
  };
  const items = await queryFirst(controlTable, query, namesMax);
  return items
    .map((item) => storedFlow.parse(item))
    .flatMap(({ flowid, live }) => (live === undefined ? [] : flowid));
}

const describeNotLive = (flowid: string): string =>
  `the flow "${flowid}" has no live build, so each call fails: expected one of its builds to be promoted`;

function describeUnknown(flowid: string, names: readonly string[]): string {
  const expected =
    names.length > 0
      ? `expected one of ${someNames(names)}`
      : 'expected the id of a flow that is live, and the workspace has none';
  return `the workspace has no flow "${flowid}": ${suggesting(nearName(flowid, names), expected)}`;
}
