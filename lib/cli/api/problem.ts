// Errors of the service, and of the way to it, as failures of a command: what failed, where, the code, the request, and
// whether it helps to try again.
import type { Problem } from '#lib/http/problem.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { programName } from '../program-name.ts';

interface Received {
  /** What the command did, such as `Registering the build`. */
  readonly what: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export function problemFailure(received: Received): CommandFailure {
  const { what, status, headers } = received;
  const problem = readProblem(received);
  const { code, detail = problem.title, errors = [], errors_total } = problem;
  const request = problem.instance ?? headers.get('x-request-id') ?? undefined;
  const retryAfter = Number(headers.get('retry-after')) || undefined;
  const retry = retryAdvice(status, retryAfter);
  const more = (errors_total ?? 0) - errors.length;
  return new CommandFailure(`${what} failed: ${asSentence(detail ?? 'the service gave no reason')}`, {
    exitCode: exitCodeOf(status),
    members: toJson({
      ...{ what, status, code, detail, errors, errors_total, request_id: request },
      ...{ retry: retry.helps, ...(retry.helps && { retry_after_seconds: retryAfter }) },
    }),
    lines: [
      ...errors.map(({ pointer, detail: mistake }) => `  ${pointer}: ${mistake}`),
      ...(more > 0 ? [`  … and ${more} more mistakes`] : []),
      `${[code && `Code ${code}`, `HTTP ${status}`, request && `request ${request}`].filter(Boolean).join(', ')}.`,
      `Try again: ${retry.text}`,
    ],
  });
}

const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Without members that are undefined. */
const toJson = (value: object): JsonObject => JSON.parse(JSON.stringify(value));

/** Proxies in between answer in forms of their own. */
function readProblem({ status, text }: Received): Partial<Problem> {
  const content = parse(text);
  if (typeof content === 'object' && content !== null && 'title' in content) return content;
  return { title: `the answer has the status ${status} and no problem details.` };
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function exitCodeOf(status: number): ExitCode {
  if (status === 401 || status === 403) return exitCodes.credentials;
  return isBusy(status) ? exitCodes.unavailable : exitCodes.refused;
}

const isBusy = (status: number): boolean => status === 429 || status >= 500;

function retryAdvice(status: number, retryAfter: number | undefined) {
  if (status === 401)
    return {
      helps: false,
      text: `no. The key is not valid here, has expired or was revoked: \`${programName()} login\`.`,
    };
  if (status === 403)
    return { helps: false, text: 'no. The key lacks a permission, which its owner can give.' };
  // A missing run has a Retry-After for those who have the id of an event that waits in a queue.
  if (status === 404 && retryAfter !== undefined)
    return {
      helps: false,
      text: `no, unless its event was accepted a moment ago: then it exists within seconds.`,
    };
  if (isBusy(status) || retryAfter !== undefined)
    return {
      helps: true,
      text: `yes, in ${retryAfter ?? 'a few'} ${retryAfter === 1 ? 'second' : 'seconds'}.`,
    };
  // What passes by itself has a Retry-After. The others last: a run that is over stays so.
  if (status === 409)
    return { helps: false, text: 'no. The state that the first line names does not allow it.' };
  if (status === 412) return { helps: true, text: 'yes, after a look at what has changed meanwhile.' };
  return { helps: false, text: 'no, the request must change first.' };
}

/** The request got no answer. */
export function networkFailure(what: string, url: string, error: unknown): CommandFailure {
  const reason = isTimeout(error) ? 'it did not answer in time' : readReason(error);
  return new CommandFailure(`${what} failed: ${new URL(url).origin} cannot be reached (${reason}).`, {
    exitCode: exitCodes.unavailable,
    members: { what, retry: true },
    lines: ['Try again: yes, once the service runs.'],
  });
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';

/** `fetch` tells the reason in its cause. */
function readReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return readReason(error.cause);
  if (error instanceof AggregateError) return readReason(error.errors[0]);
  return 'code' in error ? String(error.code) : error.message;
}
