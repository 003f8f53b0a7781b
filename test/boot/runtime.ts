// The side of the Lambda runtime: loads the bundle of LAMBDA_TASK_ROOT and answers the invocations of the Runtime API,
// as the runtime interface client of AWS does. When there are no more, it loads the other files of the bundle, which a
// test invocation may not have reached.
import { readdirSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { installAwsLambda, isStreaming, responseStream } from '#lib/local/lambda-streaming.ts';

const { AWS_LAMBDA_RUNTIME_API, LAMBDA_TASK_ROOT = '', _HANDLER = '' } = process.env;
const api = `http://${AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime`;
const [module = '', name = ''] = _HANDLER.split('.');

installAwsLambda();
await serve(await loadHandler());
await loadOthers();
process.exit(0);

async function loadHandler(): Promise<(event: unknown, ...more: unknown[]) => unknown> {
  try {
    const loaded: Record<string, unknown> = await import(toUrl(`${module}.mjs`));
    const handler = loaded[name];
    if (typeof handler === 'function') return handler as (event: unknown) => unknown;
    throw new Error(`${_HANDLER} is undefined or not exported`);
  } catch (error) {
    await post('/init/error', describe(error), 'Runtime.ImportModuleError');
    process.exit(1);
  }
}

async function serve(handler: (event: unknown, ...more: unknown[]) => unknown): Promise<void> {
  for (;;) {
    const next = await fetch(`${api}/invocation/next`);
    // Our Runtime API has no more events; that of AWS lets the process wait instead.
    if (next.status === 410) return;
    const id = next.headers.get('lambda-runtime-aws-request-id') ?? '';
    const deadline = Number(next.headers.get('lambda-runtime-deadline-ms'));
    const context = {
      awsRequestId: id,
      functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
      functionVersion: '$LATEST',
      invokedFunctionArn: next.headers.get('lambda-runtime-invoked-function-arn'),
      memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
      callbackWaitsForEmptyEventLoop: true,
      getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    };
    const event: unknown = await next.json();
    const path = `/invocation/${id}`;
    try {
      if (isStreaming(handler)) await stream(path, handler, event, context);
      else
        await post(`${path}/response`, (await Reflect.apply(handler, undefined, [event, context])) ?? null);
    } catch (error) {
      await post(`${path}/error`, describe(error), error instanceof Error ? error.name : 'Error');
    }
  }
}

/** The response is sent while it is written; an error after the first byte is in the trailers. */
async function stream(
  path: string,
  handler: (event: unknown, ...more: unknown[]) => unknown,
  event: unknown,
  context: unknown,
): Promise<void> {
  const body = responseStream();
  const sent = Promise.withResolvers<void>();
  const outgoing: ClientRequest = request(`${api}${path}/response`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/vnd.awslambda.http-integration-response',
      'Lambda-Runtime-Function-Response-Mode': 'streaming',
      'Transfer-Encoding': 'chunked',
      Trailer: ['Lambda-Runtime-Function-Error-Type', 'Lambda-Runtime-Function-Error-Body'],
    },
  });
  outgoing.on('response', (response) => response.resume().on('end', sent.resolve));
  outgoing.on('error', sent.reject);
  const piped = pipeline(body, outgoing);
  try {
    await handler(event, body, context);
    if (!body.writableEnded) body.end();
  } catch (error) {
    outgoing.addTrailers({
      'Lambda-Runtime-Function-Error-Type': error instanceof Error ? error.name : 'Error',
      'Lambda-Runtime-Function-Error-Body': Buffer.from(JSON.stringify(describe(error))).toString('base64'),
    });
    body.end();
  }
  await Promise.all([piped, sent.promise]);
}

async function loadOthers(): Promise<void> {
  const files = readdirSync(LAMBDA_TASK_ROOT).filter((file) => file.endsWith('.mjs'));
  for (const file of files) {
    if (file.endsWith('-thread.mjs')) await startThread(file);
    else await import(toUrl(file));
  }
}

/** A thread that lacks a file of its own fails before it is online. */
async function startThread(file: string): Promise<void> {
  const worker = new Worker(new URL(toUrl(file)));
  await new Promise((resolve, reject) => worker.once('online', resolve).once('error', reject));
  await worker.terminate();
}

async function post(path: string, body: unknown, errorType?: string): Promise<void> {
  await fetch(`${api}${path}`, {
    method: 'POST',
    headers: { ...(errorType !== undefined && { 'Lambda-Runtime-Function-Error-Type': errorType }) },
    body: Readable.from([JSON.stringify(body)]),
    duplex: 'half',
  } as RequestInit);
}

function describe(error: unknown) {
  return error instanceof Error
    ? { errorType: error.name, errorMessage: error.message, trace: error.stack?.split('\n') }
    : { errorType: 'Error', errorMessage: String(error), trace: [] };
}

function toUrl(file: string): string {
  return pathToFileURL(join(LAMBDA_TASK_ROOT, file)).href;
}
