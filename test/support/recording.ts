// Writes down what the service asks of DynamoDB and what it is answered, one exchange a line, so that another
// engine can be asked the same.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { awsJson } from '#lib/local/aws-json.ts';
import { tableResource } from '#lib/local/dynamodb.ts';
import { closeServer, listen } from '#lib/local/listen.ts';
import { forward } from './aws-proxy.ts';

/** A line of a recording. One without an answer makes what was there when the recording began. */
export const exchange = z.object({
  operation: z.string(),
  command: z.record(z.string(), z.unknown()),
  answer: z.object({ status: z.number(), body: z.record(z.string(), z.unknown()) }).optional(),
});
type Exchange = z.infer<typeof exchange>;

export interface Recorder {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * Lets one command after the other through, so that the order of the lines is the order in which they took
 * effect.
 */
export async function startRecorder(upstream: string, file: string): Promise<Recorder> {
  const write = (line: Exchange) => appendFileSync(file, `${JSON.stringify(line)}\n`);
  for (const command of await listTables(upstream)) write({ operation: 'CreateTable', command });
  let last: Promise<unknown> = Promise.resolve();
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    const answering = last.then(() => forward({ upstream, request, body }));
    last = answering.catch(() => undefined);
    try {
      const { status, headers, body: said } = await answering;
      write({ operation, command: parsed(body), answer: { status, body: parsed(said) } });
      response.writeHead(status, headers).end(said);
    } catch {
      request.socket.destroy();
    }
  });
  return { url: await listen(server, 0), close: () => closeServer(server) };
}

const parsed = (text: Buffer) => z.record(z.string(), z.unknown()).parse(JSON.parse(text.toString()));

const described = z.object({ Table: tableResource.extend({ TableName: z.string() }) });

/** The commands that make the tables once more. */
async function listTables(endpoint: string) {
  const ask = (operation: string, body: object) => awsJson(endpoint, `DynamoDB_20120810.${operation}`, body);
  const { TableNames } = z.object({ TableNames: z.array(z.string()) }).parse(await ask('ListTables', {}));
  return await Promise.all(
    TableNames.map(async (TableName) => {
      const { Table } = described.parse(await ask('DescribeTable', { TableName }));
      return { ...Table, BillingMode: 'PAY_PER_REQUEST' };
    }),
  );
}
