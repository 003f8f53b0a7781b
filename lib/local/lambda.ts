// The local Lambda: imports the handlers of the functions from their TypeScript source, or from their bundles, and
// invokes them within their timeouts.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { arn } from './account.ts';
import { runWithLogGroup } from './function-output.ts';
import {
  isStreaming,
  type ResponseStream,
  responseStream,
  type StreamingHandler,
} from './lambda-streaming.ts';

export type FunctionSpec = {
  readonly logicalId: string;
  /** By which `sam local` and operators know it, such as `Migrate`. */
  readonly id?: string | undefined;
  readonly name: string;
  /** The source file relative to the project; undefined if the template has none. */
  readonly entry: string | undefined;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  readonly logGroup: string;
};

export type Streaming = {
  readonly body: ResponseStream;
  /** Settles with the handler; rejects with its error. */
  readonly done: Promise<void>;
};

export type Functions = {
  /** Whether there is a function of that name. */
  readonly has: (name: string) => boolean;
  /**
   * Resolves to the response of the handler, copied through JSON; for a streaming handler, to the stream as
   * text.
   */
  readonly invoke: (name: string, event: unknown) => Promise<unknown>;
  readonly stream: (name: string, event: unknown) => Streaming;
};

/** What Lambda calls a function error: the handler threw or timed out. */
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

/** For the log: a function error includes the stack of the handler's error. */
export function explain(error: unknown): string {
  const { cause } = error instanceof FunctionError ? error : {};
  return cause instanceof Error && cause.stack ? `${String(error)}\n${cause.stack}` : String(error);
}

/** The message of what a handler threw, as Lambda returns it to whoever invokes the function. */
export const errorMessage = (error: unknown): string | undefined =>
  error instanceof FunctionError && error.cause instanceof Error ? error.cause.message : undefined;

type BufferedHandler = (event: unknown, context: unknown) => unknown;
type Loaded = { readonly spec: FunctionSpec } & (
  | { readonly kind: 'buffered'; readonly handler: BufferedHandler }
  | { readonly kind: 'streaming'; readonly handler: StreamingHandler }
);

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Needs `awslambda` and the environment of the functions, since modules read both while they are loaded. */
export async function loadFunctions(specs: readonly FunctionSpec[]): Promise<Functions> {
  const withSource = specs.filter(({ entry }) => entry !== undefined);
  const loaded = await Promise.all(withSource.map(load));
  const byName = new Map(
    loaded.flatMap((one) => {
      const { id, logicalId, name } = one.spec;
      return [...(id === undefined ? [] : [id]), logicalId, name].map((each) => [each, one] as const);
    }),
  );
  const find = (name: string) => {
    const found = byName.get(name);
    if (found) return found;
    throw new Error(
      `There is no function "${name}" with Metadata "agentflow:entry". Known: ${[...byName.keys()]}`,
    );
  };
  return {
    has: (name) => byName.has(name),
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

const kinds = {
  sources: { toFile: (entry: string) => entry, hint: '' },
  bundles: {
    // A function of a test lies elsewhere and is not built, so it runs from its source.
    toFile: (entry: string) => entry.replace(/^functions\/(.*)\.ts$/, 'dist/functions/$1/index.mjs'),
    hint: ' `npm run build` makes the bundles.',
  },
} as const;

/** `AGENT_FLOW_FUNCTIONS` says which: the sources, or what `npm run build` makes of them and is deployed. */
export function chooseFunctions(kind = process.env.AGENT_FLOW_FUNCTIONS || 'sources') {
  if (kind === 'sources' || kind === 'bundles') return kinds[kind];
  throw new Error(`AGENT_FLOW_FUNCTIONS is "${kind}"; expected ${Object.keys(kinds).join(' or ')}.`);
}

async function load(spec: FunctionSpec): Promise<Loaded> {
  const { toFile, hint } = chooseFunctions();
  const entry = toFile(spec.entry ?? '');
  const file = join(root, entry);
  try {
    const module: { handler?: unknown } = await import(pathToFileURL(file).href);
    const { handler } = module;
    if (isStreaming(handler)) return { spec, kind: 'streaming', handler };
    if (isBuffered(handler)) return { spec, kind: 'buffered', handler };
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
    throw new Error(
      `Function ${spec.logicalId} cannot be loaded from ${entry}: ${String(cause)}${isMissing ? hint : ''}`,
      { cause },
    );
  }
  throw new Error(`Function ${spec.logicalId}: ${entry} does not export a function named "handler".`);
}

const isBuffered = (value: unknown): value is BufferedHandler => typeof value === 'function';

function startStream(loaded: Loaded, event: unknown): Streaming {
  const body = responseStream();
  const run = async () => {
    const context = lambdaContext(loaded.spec);
    if (loaded.kind === 'streaming') await loaded.handler(copy(event), body, context);
    // The response of a handler that does not stream is sent as JSON, as by InvokeWithResponseStream.
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

/** A handler that times out keeps running, since JavaScript cannot be stopped, but its result is ignored. */
async function withinTimeout<T>(spec: FunctionSpec, run: () => Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => timeout.reject(new Error(`Task timed out after ${spec.timeoutSeconds.toFixed(2)} seconds`)),
    spec.timeoutSeconds * 1000,
  );
  try {
    return await Promise.race([runWithLogGroup(spec.logGroup, run), timeout.promise]);
  } catch (error) {
    throw new FunctionError(spec.name, error);
  } finally {
    clearTimeout(timer);
  }
}

/** Lambda sends events and responses as JSON; shared objects would hide what JSON drops. */
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
