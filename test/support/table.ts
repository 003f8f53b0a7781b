// A DynamoDB of one item for unit tests of what reads or notes a single one: answers every GetItem with it
// and counts the calls.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listen } from '#lib/local/listen.ts';

interface OneItemTable {
  /** Operations that were asked for, in order. */
  readonly calls: string[];
  /** What GetItem answers: an item in DynamoDB's own form, or nothing. */
  item: Readonly<Record<string, { readonly S: string }>> | undefined;
  readonly close: () => Promise<void>;
}

/** Puts it into this process's environment. */
export async function startOneItemTable(): Promise<OneItemTable> {
  const server = createServer(async (request, response) => {
    await text(request);
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    table.calls.push(operation);
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(operation === 'GetItem' && table.item ? { Item: table.item } : {}));
  });
  const table: OneItemTable = { calls: [], item: undefined, close: () => closeServer(server) };
  process.env.AWS_ENDPOINT_URL_DYNAMODB = await listen(server, 0);
  process.env.CONTROL_TABLE = 'control';
  return table;
}
