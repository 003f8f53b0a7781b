// Runs one tenant's synthesized template on this machine: engines, functions, routes, event sources and
// clock. It knows nothing of the service apart from the template. One host per process.
import { join } from 'node:path';
import { readApi } from './api.ts';
import { startDynamoDb } from './dynamodb.ts';
import { noPollers, type Pollers, startPollers } from './event-source-pollers.ts';
import { gateway } from './gateway.ts';
import { type Kms, startKms } from './kms.ts';
import { type Functions, loadFunctions } from './lambda.ts';
import { startLambdaApi } from './lambda-api.ts';
import {
  type AllEndpoints,
  type Endpoints,
  type Environment,
  enter,
  functionEnvironment,
  secretAccessKey,
  writeAwsEnv,
} from './lambda-environment.ts';
import { installAwsLambda } from './lambda-streaming.ts';
import { type Answer, startHttpListener } from './listen.ts';
import { lockFolder } from './lock.ts';
import { resolverFor } from './physical-names.ts';
import { type S3, startS3 } from './s3.ts';
import { type Sqs, startSqs } from './sqs.ts';
import { readStack, type Stack } from './stack.ts';
import { readTemplate, type Template } from './template.ts';

export type HostOptions = {
  readonly template: Template;
  /** The folder for data that survives a restart; undefined keeps everything in memory. */
  readonly dataDir: string | undefined;
  /** 0 = any free port. */
  readonly port: number;
  /**
   * The engines of another host, as if both were instances of one deployment. This host only serves requests:
   * the other one reads the queues and keeps the time. Give it the other's `GATEWAY_URL` in `environment`.
   */
  readonly engines?: Endpoints | undefined;
  /** Where the service is reached, if a proxy is in front of it, such as one that has it below the path of a stage. */
  readonly publicUrl?: string | undefined;
  /** Preferred if `port` is 0 and this port is free. */
  readonly formerPort?: number | undefined;
  /** Extra variables of the functions; they override those of the template. */
  readonly environment?: Environment;
  /** Called when the host closes, which continues once the functions have ended what they were doing. */
  readonly interrupt?: () => Promise<void>;
  readonly log?: (line: string) => void;
  /** Answers requests to the listener, those that it does not know by the answer of the API. */
  readonly before?: ((api: Answer) => Answer) | undefined;
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
  /** All environment variables of the functions. */
  readonly environment: Environment;
  /** By function name or logical id. */
  readonly invoke: (functionName: string, event: unknown) => Promise<unknown>;
  /**
   * Resolves when subscribed log lines are delivered and the event sources are idle, apart from delayed
   * messages and waiting retries; or when one queue is.
   */
  readonly idle: (queueName?: string) => Promise<void>;
  /** Delivers delayed messages and waiting retries now, all or those of one queue, so that tests need not sleep. */
  readonly flushDelayedMessages: (queueName?: string) => void;
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

/**
 * The order matters: a folder is locked before it is written to; the environment contains the addresses of
 * the listener and the engines; functions read it when they are loaded; and only loaded functions can serve
 * requests and messages.
 */
async function start(options: HostOptions, closing: AsyncDisposableStack): Promise<Host> {
  const { dataDir, interrupt = async () => {}, log = () => {} } = options;
  const template = readTemplate(options.template);
  if (dataDir) closing.defer(lockFolder(dataDir));
  const { engines, poll } = options.engines
    ? { engines: shareEngines(options.engines), poll: () => noPollers }
    : await startOwnEngines(dataDir, closing, log);
  const listener = await startHttpListener(...choosePorts(options));
  closing.defer(listener.close);
  const lambda = await startLambdaApi();
  closing.defer(lambda.close);
  const { publicUrl = listener.baseUrl } = options;
  const resolve = resolverFor(template, { baseUrl: publicUrl, sqs: engines.sqs.endpoint });
  const stack = readStack(template, resolve);
  const environment = enterEnvironment(
    stack,
    { ...toEndpoints(engines), lambda: lambda.endpoint },
    options,
    closing,
  );
  const [functions] = await Promise.all([loadFunctions(stack.functions), create(stack, engines)]);
  lambda.open(functions, log);
  const api = readApi(template, resolve, stack.functions);
  const { before = (answer) => answer } = options;
  const answer: Answer = api
    ? gateway(api, functions, log)
    : (_request, response) => response.writeHead(404).end();
  listener.open(before(answer));
  // Functions that still respond need their environment, so this comes before it is restored.
  closing.defer(listener.close);
  const pollers = poll(stack, functions);
  // At the same time, or the queues would deliver the interrupted runs again at once. Before the listener is closed,
  // which leaves a second for the responses to the callers of these runs.
  closing.defer(async () => void (await Promise.all([pollers.close(), interrupt()])));
  return {
    baseUrl: listener.baseUrl,
    endpoints: toEndpoints(engines),
    environment,
    ...lookups(stack),
    invoke: functions.invoke,
    idle: pollers.idle,
    flushDelayedMessages: pollers.flushDelayed,
    tick: pollers.tick,
    kms: { disable: engines.kms.disable, enable: engines.kms.enable },
    close: () => closing.disposeAsync(),
  };
}

const choosePorts = ({ port, formerPort }: HostOptions): readonly [number, ...number[]] =>
  port === 0 && formerPort !== undefined ? [formerPort, 0] : [port];

type Engines = {
  readonly dynamodb: Pick<Awaited<ReturnType<typeof startDynamoDb>>, 'endpoint' | 'createTable'>;
  readonly sqs: Pick<Sqs, 'endpoint' | 'createQueue'>;
  readonly kms: Omit<Kms, 'close'>;
  readonly s3: Omit<S3, 'close'>;
};

/** The other host has created what the template contains. */
function shareEngines({ dynamodb, sqs, kms, s3 }: Endpoints): Engines {
  const nothing = () => {};
  const created = async () => {};
  return {
    dynamodb: { endpoint: dynamodb, createTable: created },
    sqs: { endpoint: sqs, createQueue: created },
    kms: { endpoint: kms, createKey: nothing, createAlias: nothing, disable: nothing, enable: nothing },
    s3: { endpoint: s3, createBucket: nothing },
  };
}

type Poll = (stack: Stack, functions: Functions) => Pollers;

async function startOwnEngines(
  dataDir: string | undefined,
  closing: AsyncDisposableStack,
  log: (line: string) => void,
): Promise<{ readonly engines: Engines; readonly poll: Poll }> {
  const engines = await startEngines(dataDir, closing);
  return { engines, poll: (stack, functions) => startPollers(stack, engines.sqs, functions, log) };
}

/**
 * All engines that started are registered for closing before a failure is thrown, so that none keeps running.
 */
async function startEngines(dataDir: string | undefined, closing: AsyncDisposableStack) {
  const folder = (name: string) => dataDir && join(dataDir, name);
  const started = <T extends { close: () => Promise<void> }>(engine: T): T => {
    closing.defer(engine.close);
    return engine;
  };
  const [dynamodb, sqs, kms, s3] = await Promise.allSettled([
    startDynamoDb(folder('dynamodb')).then(started),
    startSqs(folder('sqs')).then(started),
    startKms(folder('kms')).then(started),
    startS3({ dataDir: folder('s3'), secret: secretAccessKey }).then(started),
  ]);
  if (dynamodb.status === 'rejected') throw dynamodb.reason;
  if (sqs.status === 'rejected') throw sqs.reason;
  if (kms.status === 'rejected') throw kms.reason;
  if (s3.status === 'rejected') throw s3.reason;
  return { dynamodb: dynamodb.value, sqs: sqs.value, kms: kms.value, s3: s3.value };
}

/**
 * Sets the variables of the functions in this process before they are loaded, and writes them to a file for
 * other tools.
 */
function enterEnvironment(
  stack: Stack,
  endpoints: AllEndpoints,
  { dataDir, environment: extra = {} }: HostOptions,
  closing: AsyncDisposableStack,
): Environment {
  const environment = functionEnvironment(stack.functions, endpoints, extra);
  closing.defer(enter(environment));
  if (dataDir) closing.defer(writeAwsEnv(dataDir, environment));
  installAwsLambda();
  return environment;
}

function toEndpoints({ dynamodb, sqs, kms, s3 }: Engines): Endpoints {
  return { dynamodb: dynamodb.endpoint, sqs: sqs.endpoint, kms: kms.endpoint, s3: s3.endpoint };
}

async function create(stack: Stack, { dynamodb, sqs, kms, s3 }: Engines): Promise<void> {
  for (const { id, key } of stack.keys) kms.createKey(id, key);
  for (const { AliasName, TargetKeyId } of stack.aliases) kms.createAlias(AliasName, TargetKeyId);
  for (const { name, bucket } of stack.buckets) s3.createBucket(name, bucket);
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
