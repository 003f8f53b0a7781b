// Measures what a page of the list costs by the number of rows in the workspace: milliseconds over HTTP,
// calls of AWS and read units.

import { documents } from '#lib/dynamo/client.ts';
import { newRegistryId } from '#lib/ids.ts';
import { revise } from '#lib/registry/listing/postings.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import { sampleAgents } from '#test/support/sample-agents.ts';
import { rowWriter } from '#test/support/stored-rows.ts';
import { type Bench, newOwner, type Owner, request, rowPath } from './registry-caller.ts';
import { type Row, toFigure } from './row.ts';

/** One row in a hundred is live, one in ten public, two in forty are about finance; all take text. */
const questions = [
  ['nothing', ''],
  ['flowid', '&flowid=flow-3'],
  ['status=test', '&status=test'],
  ['status=live', '&status=live'],
  ['visibility', '&visibility=public'],
  ['tag', '&tag=finance'],
  ['input_mode', '&input_mode=text/plain'],
  ['output_mode', '&output_mode=application/json'],
  ['q, one word', '&q=invoice'],
  ['q, two words', '&q=translate+document'],
  ['status and tag', '&status=live&tag=finance'],
  ['visibility, tag and q', '&visibility=public&tag=hr&q=employees'],
] as const;

const times = 9;

export async function listRows(bench: Bench, sizes: readonly number[]): Promise<Row[]> {
  const meter = meterReads();
  const rows: Row[] = [];
  for (const size of sizes) {
    const owner = await newOwner(bench, `org_list_${size}`);
    await fill(owner, size);
    for (const [name, query] of questions) {
      const path = `${rowPath}?workspaceid=${owner.workspaceid}&limit=50${query}`;
      rows.push(await pageRow(`page by ${name}, of ${size} rows`, () => request(owner, 'GET', path), meter));
    }
  }
  return rows;
}

async function pageRow(what: string, read: () => Promise<unknown>, meter: Meter): Promise<Row> {
  await read();
  const taken: number[] = [];
  for (let n = 0; n < times; n += 1) {
    Object.assign(meter, { calls: 0, units: 0 });
    const start = performance.now();
    await read();
    taken.push(performance.now() - start);
  }
  return { what: `${what}; calls: ${meter.calls}, units: ${meter.units}`, unit: 'ms', ours: toFigure(taken) };
}

interface Meter {
  calls: number;
  units: number;
}

/**
 * The handlers run in this process, with the very client that all stores share. Only what reads the registry
 * counts.
 */
function meterReads(): Meter {
  const meter: Meter = { calls: 0, units: 0 };
  documents.middlewareStack.add(
    (next, { commandName }) =>
      async (call) => {
        const isRead = commandName === 'QueryCommand' || commandName === 'BatchGetItemCommand';
        if (isRead) Object.assign(call.input, { ReturnConsumedCapacity: 'TOTAL' });
        const answer = await next(call);
        if (isRead) meter.calls += 1;
        if (isRead) meter.units += countUnits(answer.output);
        return answer;
      },
    { step: 'initialize' },
  );
  return meter;
}

function countUnits(output: object): number {
  const consumed = 'ConsumedCapacity' in output ? [output.ConsumedCapacity].flat() : [];
  return consumed.reduce<number>((sum, each) => {
    const units: unknown =
      typeof each === 'object' && each !== null && 'CapacityUnits' in each && each.CapacityUnits;
    return sum + (typeof units === 'number' ? units : 0);
  }, 0);
}

/** Written straight into the table, with the product's own items. */
async function fill(owner: Owner, size: number): Promise<void> {
  const writer = rowWriter();
  const variants = sampleAgents.map((agent) => ({
    public: { ...agent, visibility: 'public', ...found(agent, 'public') } as const,
    organization: { ...agent, visibility: 'organization', ...found(agent, 'organization') } as const,
  }));
  const portion = 2_000;
  for (let from = 0; from < size; from += portion) {
    const rows = Array.from({ length: Math.min(portion, size - from) }, (_, k) => {
      const n = from + k;
      const agent = variants[(n + Math.floor(n / 100)) % variants.length];
      if (!agent) throw new Error('There are sample agents.');
      return placed(agent[n % 10 === 0 ? 'public' : 'organization'], owner, n);
    });
    await writer.putMany(rows);
  }
}

const found = (agent: StoredRow, visibility: StoredRow['visibility']) => ({
  postings: revise({}, { ...agent, visibility }).postings,
});

function placed(agent: StoredRow, { orgid, workspaceid }: Owner, n: number): StoredRow {
  const created_at = new Date(Date.parse('2026-01-01T00:00:00Z') + n * 1_000).toISOString();
  return {
    ...agent,
    ...{ orgid, workspaceid, created_at, updated_at: created_at, a2aregistryid: newRegistryId() },
    ...{ flowid: `flow-${n % 20}`, build_no: n + 1, status: n % 100 === 0 ? 'live' : 'test' },
  };
}
