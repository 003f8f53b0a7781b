// Runs one tenant's synthesized template on this machine: engines, functions, routes, event sources and clock.
// It knows nothing of the service; all it does is what the template says. One host per process.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { readApi } from './api.ts';
import { asyncInvocations } from './async-invocations.ts';
import { writeAwsEnv } from './aws-env.ts';
import { startClock } from './clock.ts';
import { startDynamoDb } from './dynamodb.ts';
import { startEventSources } from './event-sources.ts';
import { gateway } from './gateway.ts';
import { type Kms, startKms } from './kms.ts';
import { type Functions, loadFunctions } from './lambda.ts';
import { type Endpoints, type Environment, enter, functionEnvironment } from './lambda-environment.ts';
import { installAwsLambda } from './lambda-streaming.ts';
import { closeServer, listen } from './listen.ts';
import { lockFolder } from './lock.ts';
import { startLogSubscriptions } from './log-subscriptions.ts';
import { resolverFor } from './physical-names.ts';
import { type Sqs, startSqs } from './sqs.ts';
import { readStack, type Stack } from './stack.ts';
import { readTemplate, type Template } from './template.ts';

export type HostOptions = {
  readonly template: Template;
  /** Where data survives a restart; undefined keeps everything in memory. */
  readonly dataDir: string | undefined;
  /** 0 = any free port. */
  readonly port: number;
  /** Extra variables for the functions; they win over the template's. */
  readonly environment?: Environment;
  readonly log?: (line: string) => void;
};

export type Host = {
  readonly baseUrl: string;
  readonly endpoints: Endpoints;
  /** Physical names by logical id. */
  readonly tables: Readonly<Record<string, string>>;
  readonly queues: Readonly<
    Record<string, { readonly name: string; readonly url: string; readonly arn: string }>
  >;
  readonly keys: Readonly<Record<string, { readonly id: string; readonly arn: string }>>;
  readonly outputs: Readonly<Record<string, string>>;
  /** All variables the functions see. */
  readonly environment: Environment;
  /** By function name or logical id. */
  readonly invoke: (functionName: string, event: unknown) => Promise<unknown>;
  /** Resolves when all lines that somebody subscribes to are delivered and the event sources have nothing to do; delayed messages and retries that wait do not count. */
  readonly idle: () => Promise<void>;
  /** Delivers delayed messages and waiting retries now, so that no test has to sleep. */
  readonly hurryMessages: () => void;
  /** Calls the functions of all schedules now. */
  readonly tick: () => Promise<void>;
  /** Disabling a key makes every use of it fail with DisabledException. */
  readonly kms: Pick<Kms, 'disable' | 'enable'>;
  readonly close: () => Promise<void>;
};

export async function startHost(options: HostOptions): Promise<Host> {
  const closing = new AsyncDisposableStack();
  try {
    return await start(options, closing);
  } catch (error) {
    await closing.disposeAsync();
    throw error;
  }
}

async function start(options: HostOptions, closing: AsyncDisposableStack): Promise<Host> {
  const { dataDir, port, log = () => {} } = options;
  const template = readTemplate(options.template);
  if (dataDir) closing.defer(lockFolder(dataDir));
  const engines = await startEngines(dataDir, closing);
  // Longer than clients keep a connection: one that is closed as they use it again fails their request.
  const server = createServer({ keepAliveTimeout: 75_000 });
  closing.defer(() => closeServer(server));
  const baseUrl = await listen(server, port);
  const resolve = resolverFor(template, { baseUrl, sqs: engines.sqs.endpoint });
  const stack = readStack(template, resolve);
  const endpoints = endpointsOf(engines);
  const environment = functionEnvironment(stack.functions, endpoints, options.environment ?? {});
  closing.defer(enter(environment));
  if (dataDir) closing.defer(writeAwsEnv(dataDir, environment));
  installAwsLambda();
  const [functions] = await Promise.all([loadFunctions(stack.functions), create(stack, engines)]);
  const api = readApi(template, resolve, stack.functions);
  if (api) server.on('request', gateway(api, functions, log));
  const feeds = startFeeds(stack, engines.sqs, functions, log);
  closing.defer(feeds.close);
  const clock = startClock(stack.schedules, functions, log);
  closing.defer(clock.close);
  return {
    baseUrl,
    endpoints,
    environment,
    ...lookups(stack),
    invoke: functions.invoke,
    idle: feeds.idle,
    hurryMessages: feeds.hurry,
    tick: clock.tick,
    kms: { disable: engines.kms.disable, enable: engines.kms.enable },
    close: () => closing.disposeAsync(),
  };
}

type Engines = {
  readonly dynamodb: Awaited<ReturnType<typeof startDynamoDb>>;
  readonly sqs: Sqs;
  readonly kms: Kms;
};

/** All are registered for closing before a failure of one is passed on, so that none is left behind. */
async function startEngines(dataDir: string | undefined, closing: AsyncDisposableStack): Promise<Engines> {
  const folder = (name: string) => dataDir && join(dataDir, name);
  const started = <T extends { close: () => Promise<void> }>(engine: T): T => {
    closing.defer(engine.close);
    return engine;
  };
  const [dynamodb, sqs, kms] = await Promise.allSettled([
    startDynamoDb(folder('dynamodb')).then(started),
    startSqs(folder('sqs')).then(started),
    startKms(folder('kms')).then(started),
  ]);
  if (dynamodb.status === 'rejected') throw dynamodb.reason;
  if (sqs.status === 'rejected') throw sqs.reason;
  if (kms.status === 'rejected') throw kms.reason;
  return { dynamodb: dynamodb.value, sqs: sqs.value, kms: kms.value };
}

/** All that calls functions besides the gateway: queues, and lines of logs. */
function startFeeds(stack: Stack, sqs: Sqs, functions: Functions, log: (line: string) => void) {
  const sources = startEventSources(stack.eventSources, sqs, functions, log);
  const background = asyncInvocations(stack.asyncSettings, { functions, sqs, log });
  const subscriptions = startLogSubscriptions(stack.logSubscriptions, background.invoke);
  return {
    // What a queue feeds may print lines, and what prints them is over before they are delivered.
    idle: async () => {
      await sources.idle();
      await subscriptions.idle();
      await background.idle();
    },
    hurry: () => {
      sources.hurry();
      background.hurry();
    },
    close: async () => {
      await sources.close();
      await subscriptions.close();
      background.close();
    },
  };
}

function endpointsOf({ dynamodb, sqs, kms }: Engines): Endpoints {
  return { dynamodb: dynamodb.endpoint, sqs: sqs.endpoint, kms: kms.endpoint };
}

async function create(stack: Stack, { dynamodb, sqs, kms }: Engines): Promise<void> {
  for (const { id, key } of stack.keys) kms.createKey(id, key);
  for (const { AliasName, TargetKeyId } of stack.aliases) kms.createAlias(AliasName, TargetKeyId);
  await Promise.all([
    ...stack.tables.map(({ logicalId: _, ...table }) => dynamodb.createTable(table)),
    ...stack.queues.map(({ name, queue }) => sqs.createQueue(name, queue)),
  ]);
}

function lookups(stack: Stack): Pick<Host, 'tables' | 'queues' | 'keys' | 'outputs'> {
  return {
    tables: Object.fromEntries(stack.tables.map(({ logicalId, name }) => [logicalId, name])),
    queues: Object.fromEntries(
      stack.queues.map(({ logicalId, name, url, arn }) => [logicalId, { name, url, arn }]),
    ),
    keys: Object.fromEntries(stack.keys.map(({ logicalId, id, arn }) => [logicalId, { id, arn }])),
    outputs: stack.outputs,
  };
}
