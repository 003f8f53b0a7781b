// Calls an agent by JSON-RPC at its hosted URL, as any A2A client does; the session of the browser is the credential.
import { createParser } from 'eventsource-parser';
import { fetchOrExplain } from '../api/client.ts';
import { ApiError, readProblem } from '../api/problem.ts';
import type { StreamResult } from './wire.ts';

export interface Exchanged {
  readonly direction: 'sent' | 'received';
  readonly method: string;
  readonly body: unknown;
}

export interface A2AClient {
  readonly url: string;
  /** Told of every request and of everything that comes back. */
  readonly onExchange: (exchanged: Exchanged) => void;
}

/** An error of A2A or of JSON-RPC, which comes with status 200. */
export class A2AError extends ApiError {
  readonly rpcCode: number;

  constructor({ code, message, data }: RpcError) {
    super({
      status: 400,
      code: String(code),
      title: message,
      detail: `JSON-RPC ${code}`,
      fields: readViolations(data),
    });
    this.rpcCode = code;
  }
}

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

interface Violation {
  readonly field: string;
  readonly description: string;
}

/** A2A 9.5 has the details of an error in an array: those about fields are `google.rpc.BadRequest`. */
const readViolations = (data: unknown): { pointer: string; detail: string }[] =>
  (Array.isArray(data) ? data : []).flatMap(
    ({ fieldViolations = [] }: { fieldViolations?: readonly Violation[] }) =>
      fieldViolations.map(({ field, description }) => ({ pointer: field, detail: description })),
  );

export const taskHasEnded = -32004;

interface Answer {
  readonly result?: unknown;
  readonly error?: RpcError;
}

export async function callMethod(
  client: A2AClient,
  method: string,
  params: object,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await post(client, method, params, signal);
  return readAnswer(client, method, await response.json());
}

/** Returns when the stream ends, which is not always when the task does. */
export async function streamMethod(
  client: A2AClient,
  method: string,
  params: object,
  signal: AbortSignal,
  onResult: (result: StreamResult) => void,
): Promise<void> {
  const response = await post(client, method, params, signal);
  const read = (body: unknown) => readAnswer(client, method, body) as StreamResult;
  if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream'))
    return onResult(read(await response.json()));
  const parser = createParser({ onEvent: ({ data }) => onResult(read(JSON.parse(data))) });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(value);
  }
}

async function post(
  { url, onExchange }: A2AClient,
  method: string,
  params: object,
  signal: AbortSignal,
): Promise<Response> {
  const body = { jsonrpc: '2.0', id: crypto.randomUUID(), method, params };
  onExchange({ direction: 'sent', method, body });
  const response = await fetchOrExplain(url, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-session-request': '1' },
    body: JSON.stringify(body),
    signal,
  });
  if (response.ok) return response;
  onExchange({ direction: 'received', method, body: await readJson(response.clone()) });
  throw await readRefusal(response);
}

const readJson = async (response: Response): Promise<unknown> => await response.json().catch(() => undefined);

/** What is refused before the protocol has its problem details in the data of the error. */
async function readRefusal(response: Response): Promise<ApiError> {
  const body = await readJson(response.clone());
  const details = (body as { error?: { data?: unknown } } | undefined)?.error?.data;
  const { status, headers } = response;
  return await readProblem(details ? new Response(JSON.stringify(details), { status, headers }) : response);
}

function readAnswer({ onExchange }: A2AClient, method: string, body: unknown): unknown {
  onExchange({ direction: 'received', method, body });
  const { result, error } = body as Answer;
  if (error) throw new A2AError(error);
  return result;
}
