// The local Lambda: imports the functions' handlers from their TypeScript source and invokes them under their own time limit.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { arn } from './account.ts';
import { printingTo } from './function-output.ts';
import {
  isStreaming,
  type ResponseStream,
  responseStream,
  type StreamingHandler,
} from './lambda-streaming.ts';

export type FunctionSpec = {
  readonly logicalId: string;
  readonly name: string;
  /** Source file relative to the root of the project; undefined when the template does not say. */
  readonly entry: string | undefined;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  readonly logGroup: string;
};

export type Streaming = {
  readonly body: ResponseStream;
  /** Settles when the handler has; rejects with what it threw. */
  readonly done: Promise<void>;
};

export type Functions = {
  /** The handler's answer as JSON carries it; of a streaming handler, the whole stream as text. */
  readonly invoke: (name: string, event: unknown) => Promise<unknown>;
  readonly stream: (name: string, event: unknown) => Streaming;
};

/** What Lambda calls a function error: the handler threw, or ran out of time. */
class FunctionError extends Error {
  constructor(functionName: string, cause: unknown) {
    super(
      `${functionName} failed: ${cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)}`,
      {
        cause,
      },
    );
    this.name = 'FunctionError';
  }
}

/** For the log: a function error with the stack of what the handler threw. */
export function explain(error: unknown): string {
  const { cause } = error instanceof FunctionError ? error : {};
  return cause instanceof Error && cause.stack ? `${String(error)}\n${cause.stack}` : String(error);
}

type BufferedHandler = (event: unknown, context: unknown) => unknown;
type Loaded = { readonly spec: FunctionSpec } & (
  | { readonly kind: 'buffered'; readonly handler: BufferedHandler }
  | { readonly kind: 'streaming'; readonly handler: StreamingHandler }
);

const root = fileURLToPath(new URL('../../', import.meta.url));

/** `awslambda` must be installed and the environment entered: modules read both while they load. */
export async function loadFunctions(specs: readonly FunctionSpec[]): Promise<Functions> {
  const withSource = specs.filter(({ entry }) => entry !== undefined);
  const loaded = await Promise.all(withSource.map(load));
  const byName = new Map(
    loaded.flatMap((one) => [[one.spec.logicalId, one] as const, [one.spec.name, one] as const]),
  );
  const find = (name: string) => {
    const found = byName.get(name);
    if (found) return found;
    throw new Error(
      `There is no function "${name}" with Metadata "agentflow:entry". Known: ${[...byName.keys()]}`,
    );
  };
  return {
    stream: (name, event) => startStream(find(name), event),
    invoke: async (name, event) => {
      const found = find(name);
      if (found.kind === 'streaming') return collect(startStream(found, event));
      const { spec, handler } = found;
      const answer = await withinTimeout(spec, async () => handler(copy(event), lambdaContext(spec)));
      return copy(answer ?? null);
    },
  };
}

async function load(spec: FunctionSpec): Promise<Loaded> {
  const file = join(root, spec.entry ?? '');
  try {
    const module: { handler?: unknown } = await import(pathToFileURL(file).href);
    const { handler } = module;
    if (isStreaming(handler)) return { spec, kind: 'streaming', handler };
    if (isBuffered(handler)) return { spec, kind: 'buffered', handler };
  } catch (cause) {
    throw new Error(`Function ${spec.logicalId} does not load from ${spec.entry}: ${String(cause)}`, {
      cause,
    });
  }
  throw new Error(`Function ${spec.logicalId}: ${spec.entry} does not export a function named "handler".`);
}

const isBuffered = (value: unknown): value is BufferedHandler => typeof value === 'function';

function startStream(loaded: Loaded, event: unknown): Streaming {
  const body = responseStream();
  const run = async () => {
    const context = lambdaContext(loaded.spec);
    if (loaded.kind === 'streaming') await loaded.handler(copy(event), body, context);
    // A handler that does not stream answers InvokeWithResponseStream with its JSON.
    else body.write(JSON.stringify((await loaded.handler(copy(event), context)) ?? null));
  };
  const done = withinTimeout(loaded.spec, run).then(
    () => void (body.writableEnded || body.end()),
    (error: FunctionError) => {
      body.destroy(error);
      throw error;
    },
  );
  done.catch(() => {});
  return { body, done };
}

async function collect({ body, done }: Streaming): Promise<string> {
  const [all] = await Promise.all([text(body), done]);
  return all;
}

/** JavaScript cannot be stopped from outside: a handler that ran out of time goes on, but nobody listens any more. */
async function withinTimeout<T>(spec: FunctionSpec, run: () => Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => timeout.reject(new Error(`Task timed out after ${spec.timeoutSeconds.toFixed(2)} seconds`)),
    spec.timeoutSeconds * 1000,
  );
  try {
    return await Promise.race([printingTo(spec.logGroup, run), timeout.promise]);
  } catch (error) {
    throw new FunctionError(spec.name, error);
  } finally {
    clearTimeout(timer);
  }
}

/** Events and answers cross the wire as JSON in Lambda; sharing objects would hide what JSON drops. */
function copy(value: unknown): unknown {
  const json = JSON.stringify(value);
  return json === undefined ? null : JSON.parse(json);
}

function lambdaContext(spec: FunctionSpec) {
  const deadline = performance.now() + spec.timeoutSeconds * 1000;
  return {
    awsRequestId: randomUUID(),
    functionName: spec.name,
    functionVersion: '$LATEST',
    invokedFunctionArn: arn('lambda', `function:${spec.name}`),
    memoryLimitInMB: String(spec.memoryMegabytes),
    logGroupName: spec.logGroup,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
  };
}
