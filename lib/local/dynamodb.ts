// The local DynamoDB: starts the engine as a child process and creates the tables of the template in it.
import * as z from 'zod';
import { awsJson, EngineError } from './aws-json.ts';
import { type Child, startChild } from './child.ts';
import {
  chooseEngine,
  type EngineName,
  engineCommand,
  type Machine,
  thisMachine,
} from './dynamodb-engine.ts';
import { freePort } from './listen.ts';

/** Java needs seconds for a cold start; dynoxide 20 ms. */
const startMillisMax = 30_000;
const probeMillis = 5;

export type DynamoDb = {
  readonly endpoint: string;
  readonly engine: EngineName;
  readonly createTable: (table: TableResource & { readonly name: string }) => Promise<void>;
  readonly close: () => Promise<void>;
};

const keySchema = z.array(z.strictObject({ AttributeName: z.string(), KeyType: z.string() }));
const indexes = z.array(
  z.object({
    IndexName: z.string(),
    KeySchema: keySchema,
    Projection: z.looseObject({ ProjectionType: z.string() }),
  }),
);

/** The properties of AWS::DynamoDB::Table and ::GlobalTable that the engines support. */
export const tableResource = z.object({
  AttributeDefinitions: z.array(z.strictObject({ AttributeName: z.string(), AttributeType: z.string() })),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: indexes.optional(),
  LocalSecondaryIndexes: indexes.optional(),
  TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.boolean() }).optional(),
});
type TableResource = z.output<typeof tableResource>;

export async function startDynamoDb(
  dataDir: string | undefined,
  machine: Machine = thisMachine,
  wanted?: EngineName,
): Promise<DynamoDb> {
  const engine = chooseEngine(machine, wanted);
  const { endpoint, child } = await startEngine(engine, machine, dataDir).catch((error) => {
    throw dataDir ? withDataFolder(error, dataDir) : error;
  });
  return { endpoint, engine, createTable: (table) => createTable(endpoint, table), close: child.stop };
}

const startsMax = 3;

/** Another process may take the free port before the engine does: the engine is then started on another port. */
async function startEngine(engine: EngineName, machine: Machine, dataDir: string | undefined) {
  for (let starts = 1; ; starts++) {
    const port = await freePort();
    const { program, args } = engineCommand(engine, machine, port, dataDir);
    const endpoint = `http://127.0.0.1:${port}`;
    const child = startChild(program, args);
    try {
      await waitUntilReady(endpoint, child, engine);
      return { endpoint, child };
    } catch (error) {
      if (starts === startsMax || !/already in use/i.test(String(error))) throw error;
    }
  }
}

/** The usual reason is damaged data. */
const withDataFolder = (cause: Error, dataDir: string) =>
  new Error(`${cause.message} Its data is in ${dataDir}; "npm run reset" deletes it.`, { cause });

/** The engines do not report when they are ready, so we call them until they answer. */
async function waitUntilReady(endpoint: string, child: Child, engine: EngineName): Promise<void> {
  let ended: string | undefined;
  void child.ended.then((output) => {
    ended = output;
  });
  let refusal = '';
  for (const deadline = performance.now() + startMillisMax; performance.now() < deadline; ) {
    if (ended !== undefined)
      throw new Error(`The DynamoDB engine (${engine}) ended during startup: ${ended.trim()}`);
    refusal = await probe(endpoint);
    if (refusal === '') return;
    await new Promise((resolve) => setTimeout(resolve, probeMillis));
  }
  await child.stop();
  throw new Error(`The DynamoDB engine (${engine}) did not start in ${startMillisMax / 1000} s: ${refusal}`);
}

/** The error of a call, or an empty string if the engine answers. */
async function probe(endpoint: string): Promise<string> {
  try {
    await awsJson(endpoint, 'DynamoDB_20120810.ListTables', {});
    return '';
  } catch (error) {
    return String(error);
  }
}

async function createTable(
  endpoint: string,
  table: TableResource & { readonly name: string },
): Promise<void> {
  const { name, TimeToLiveSpecification, ...definition } = table;
  const call = (operation: string, body: object) =>
    awsJson(endpoint, `DynamoDB_20120810.${operation}`, { TableName: name, ...body });
  try {
    await call('CreateTable', { ...definition, BillingMode: 'PAY_PER_REQUEST' });
  } catch (error) {
    if (error instanceof EngineError && error.code === 'ResourceInUseException') return;
    throw error;
  }
  if (TimeToLiveSpecification) await call('UpdateTimeToLive', { TimeToLiveSpecification });
}
