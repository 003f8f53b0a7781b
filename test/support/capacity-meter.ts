// Stands between this process and DynamoDB and counts what calls read and write, which is what they cost.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import { closeServer, listen } from '#lib/local/listen.ts';

interface Count {
  queries: number;
  batches: number;
  /** That queries, batches and transactions read. */
  items: number;
  /** 4 KB read as it is now, or 8 KB as it was a moment ago. */
  readUnits: number;
  /** 1 KB written to a table or an index; half of that in a transaction. */
  writeUnits: number;
}

/** A call that DynamoDB has answered. */
export interface MeteredCall {
  readonly operation: string;
  readonly asked: object;
  readonly answer: unknown;
  /** Calls the same engine without being counted. */
  readonly call: (operation: string, body: object) => Promise<unknown>;
}

export interface CapacityMeter {
  readonly url: string;
  /** Since the start, or the last reset. */
  readonly count: Count;
  readonly reset: () => void;
  readonly close: () => Promise<void>;
}

const capacity = z.looseObject({ CapacityUnits: z.number() });
const answered = z.looseObject({
  ScannedCount: z.number().optional(),
  /** By table for a batch, in order for a transaction. */
  Responses: z.union([z.record(z.string(), z.array(z.unknown())), z.array(z.unknown())]).optional(),
  ConsumedCapacity: z.union([capacity, z.array(capacity)]).optional(),
});

const nothing: Readonly<Count> = { queries: 0, batches: 0, items: 0, readUnits: 0, writeUnits: 0 };

/** `watch` sees each call before it is answered, with the units of the table and of each index. */
export async function startCapacityMeter(
  upstream: string,
  watch: (call: MeteredCall) => Promise<void> | undefined = () => undefined,
): Promise<CapacityMeter> {
  const count: Count = { ...nothing };
  const server = createServer(async (request, response) => {
    const asked = z.looseObject({}).parse(await json(request));
    const { host: _, 'content-length': __, connection: ___, ...headers } = request.headers;
    const [service, operation = ''] = String(request.headers['x-amz-target']).split('.');
    const send = (name: string, body: object) =>
      fetch(upstream, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { ...(headers as Record<string, string>), 'x-amz-target': `${service}.${name}` },
      });
    const answer = await send(operation, { ...asked, ReturnConsumedCapacity: 'INDEXES' });
    const text = await answer.text();
    add(count, operation, asked, JSON.parse(text));
    const call = async (name: string, body: object): Promise<unknown> =>
      await (await send(name, body)).json();
    await watch({ operation, asked, answer: JSON.parse(text), call });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text);
  });
  return {
    url: await listen(server, 0),
    count,
    reset: () => {
      Object.assign(count, nothing);
    },
    close: () => closeServer(server),
  };
}

const isWrite = (operation: string) => /^(Put|Update|Delete|BatchWrite|TransactWrite)/.test(operation);

function add(count: Count, operation: string, asked: object, answer: unknown): void {
  const { ScannedCount = 0, Responses = {}, ConsumedCapacity = [] } = answered.parse(answer);
  if (operation === 'Query') count.queries += 1;
  if (operation === 'BatchGetItem') count.batches += 1;
  count.items += ScannedCount + Object.values(Responses).flat().length;
  const units = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0);
  if (isWrite(operation)) count.writeUnits += units + refusedUnits(asked, answer);
  else count.readUnits += units;
}

const item = z.record(z.string(), z.unknown());
const action = z.looseObject({ Item: item.optional() });
const transaction = z.looseObject({ TransactItems: z.array(z.record(z.string(), action)) });
const refusal = z.looseObject({ __type: z.string().default(''), Item: item.optional() });
const canceled = z.looseObject({ CancellationReasons: z.array(z.looseObject({ Item: item.optional() })) });

/**
 * A write that a condition refuses is charged by the size of its item, and no answer says how much: so by
 * what of the item was sent or came back.
 */
function refusedUnits(asked: object, answer: unknown): number {
  const { __type, Item } = refusal.parse(answer);
  if (__type.endsWith('ConditionalCheckFailedException')) return sumUnits(action.parse(asked).Item, Item);
  if (!__type.endsWith('TransactionCanceledException')) return 0;
  const { CancellationReasons } = canceled.parse(answer);
  const actions = transaction.parse(asked).TransactItems.flatMap((each) => Object.values(each));
  return actions.reduce((sum, { Item }, n) => sum + 2 * sumUnits(Item, CancellationReasons[n]?.Item), 0);
}

const sumUnits = (...items: readonly (object | undefined)[]) =>
  Math.max(1, ...items.map((each) => Math.ceil(Buffer.byteLength(JSON.stringify(each ?? {})) / 1_024)));
