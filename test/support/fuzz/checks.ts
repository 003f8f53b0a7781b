// What must hold for the answer to any request: it is one that the document describes, and it agrees with the
// document on the request.
import * as z from 'zod';
import type { ApiDocument, Operation } from './api-document.ts';
import { type FuzzRequest, openSignature, type Verdict, writeTarget } from './fuzz-request.ts';

export interface FuzzAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** A stream that the client left before its end. */
  readonly isPartial: boolean;
}

export interface Defect {
  readonly check: string;
  /** The same for defects that are the same, whatever the request was. */
  readonly signature: string;
  readonly message: string;
}

export interface Expectations {
  readonly document: ApiDocument;
  /** What no answer may hold, such as the keys that requests carry. */
  readonly secrets: readonly string[];
  /** What no answer to another organisation may hold. */
  readonly ownMarks: readonly string[];
  /** A flow that takes signed events only. */
  readonly signedFlow?: string;
  /** Rules that JSON Schema cannot say: mistakes at these places are no disagreement with the document. */
  readonly rules: readonly Rule[];
}

export interface Rule {
  /** Matches operation ids; all of them when left out. */
  readonly operations?: RegExp;
  /** Matches `{pointer} {detail}` of a mistake. */
  readonly mistake: RegExp;
  readonly why: string;
}

type Check = (
  request: FuzzRequest,
  answer: FuzzAnswer,
  verdict: Verdict,
  expectations: Expectations,
) => Omit<Defect, 'check'> | undefined;

const defect = (signature: string, message: string) => ({ signature, message });
const refusalBytesMax = 65_536;

/** Paths of files, lines of the code, and AWS names of resources, but for the examples of a role and of a topic of customers. */
const internals =
  /\/work\/|\/home\/|\/var\/task|node_modules|\.[jt]s:\d+|\bat \S+ \(|arn:aws(?!:iam::123456789012:role\/agent-flow\/search|:sns:eu-central-1:123456789012:orders)|ControlTable|RunsTable/;

const problem = z.object({
  status: z.int(),
  code: z.string(),
  instance: z.string(),
  detail: z.string().optional(),
  errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
});

/** RFC 6749 §5.2. */
const oauthError = z.strictObject({ error: z.string(), error_description: z.string().optional() });

const checks: Readonly<Record<string, Check>> = {
  'no failure of the server': (_request, { status, text }) =>
    status >= 500 ? defect(`${status}`, `answered ${status}: ${text.slice(0, 300)}`) : undefined,

  // Headers that are too large are refused before there is a request that could have an id.
  'request id': (_request, { headers, status }) =>
    status === 431 || headers['x-request-id']
      ? undefined
      : defect(`${status}`, `${status} without X-Request-Id`),

  'no sniffing': (_request, { headers, status }) =>
    headers['x-content-type-options'] === 'nosniff'
      ? undefined
      : defect(`${status}`, `${status} without X-Content-Type-Options: nosniff`),

  'size of a refusal': (_request, { status, text }) =>
    status >= 400 && status < 500 && Buffer.byteLength(text) > refusalBytesMax
      ? defect(`${status}`, `${status} with ${Buffer.byteLength(text)} bytes`)
      : undefined,

  'no internals': (_request, { status, text }) => {
    const found = status >= 400 ? internals.exec(text) : null;
    return found ? defect(found[0], `the answer shows ${found[0]}`) : undefined;
  },

  'no secrets': (_request, { text }, _verdict, { secrets }) =>
    secrets.some((secret) => text.includes(secret))
      ? defect('', 'the answer repeats a credential')
      : undefined,

  'no answer about another organisation': ({ credential }, { text }, _verdict, { ownMarks }) =>
    credential === 'foreign' && ownMarks.some((mark) => text.includes(mark))
      ? defect('', 'the answer to another organisation shows what is not for it')
      : undefined,

  'method not allowed': ({ operation, method }, { status, headers }) => {
    if (method === operation.method || isHead(operation, method)) return undefined;
    if (status !== 405) return defect('method', `${method} answered ${status}, expected 405`);
    const missing = operation.allowed.filter((each) => !(headers.allow ?? '').includes(each));
    return missing.length > 0 ? defect('Allow', `Allow is "${headers.allow}" without ${missing}`) : undefined;
  },

  'documented status': (request, { status }) =>
    !isOwn(request) || status >= 500 || isGatewayRefusal(status) || request.operation.responses[status]
      ? undefined
      : defect(`${status}`, `${status} is not documented`),

  'documented body': (request, answer, _verdict, { document }) => {
    const content = request.operation.responses[answer.status]?.content;
    if (!isOwn(request) || answer.status >= 500) return undefined;
    if (!content)
      return answer.text === '' || isGatewayRefusal(answer.status)
        ? undefined
        : defect(`${answer.status}`, `${answer.status} has a body`);
    if (request.method === 'HEAD') return answer.text === '' ? undefined : defect('HEAD', 'HEAD has a body');
    const type = (answer.headers['content-type'] ?? '').split(';')[0] ?? '';
    const media = content[type];
    if (!media) return defect(`${answer.status} ${type}`, `${answer.status} has the content type "${type}"`);
    if (type === 'text/event-stream' || type === 'text/html' || answer.isPartial) return undefined;
    const value = parsed(answer.text);
    if (value === undefined)
      return defect(`${answer.status} JSON`, `${answer.status} is not JSON: ${answer.text.slice(0, 100)}`);
    const mistake = document.mistakeIn(media.schema, value);
    return mistake
      ? defect(
          `${answer.status} ${normalized(mistake)}`,
          `${answer.status} does not fit its schema: ${mistake}`,
        )
      : undefined;
  },

  'problem details': (request, { status, headers, text }) => {
    if (status < 400 || request.method === 'HEAD') return undefined;
    const type = headers['content-type'] ?? '';
    if (isPage(request, { status }) && type.startsWith('text/html')) return undefined;
    if (request.operation.isOAuth && type.startsWith('application/json'))
      return oauthError.safeParse(parsed(text)).success
        ? undefined
        : defect(`${status} shape`, `${status} is no error of OAuth: ${text.slice(0, 200)}`);
    const form = request.operation.hasJsonRpcProblems ? 'application/json' : 'application/problem+json';
    if (!type.startsWith(form)) return defect(`${status} ${type}`, `${status} is ${type}`);
    // Those of MCP itself have no problem details.
    if (request.operation.hasJsonRpcProblems && isMcpError(readJsonRpcError(text))) return undefined;
    const said = problem.safeParse(readProblem(request, text));
    if (!said.success) return defect(`${status} shape`, `${status} is no problem: ${text.slice(0, 200)}`);
    if (said.data.status !== status)
      return defect(`${status} status`, `${status} says status ${said.data.status}`);
    if (said.data.instance !== headers['x-request-id'])
      return defect('instance', 'instance is not X-Request-Id');
    const codes = documentedCodes(request.operation, status);
    return !isOwn(request) || codes.length === 0 || codes.includes(said.data.code)
      ? undefined
      : defect(`${status} ${said.data.code}`, `${status} ${said.data.code} is not documented`);
  },

  credentials: (request, { status, text }) => {
    const wanted = isOwn(request) ? expectedRefusal(request) : undefined;
    // A line and headers beyond the gateway's 10,240 bytes never reach what looks at credentials.
    if (status === 400 && text.includes('API Gateway could not read the request')) return undefined;
    if (wanted === undefined || wanted.includes(status) || isGatewayRefusal(status)) return undefined;
    return defect(
      request.credential,
      `${status} for credentials that are ${request.credential}, expected ${wanted.join(' or ')}`,
    );
  },

  'no unsigned events': ({ path, headers }, { status }, _verdict, { signedFlow }) => {
    if (status !== 202 || signedFlow === undefined || path.flow_id !== signedFlow) return undefined;
    const signatures = headers.filter(([name]) => name === 'webhook-signature').map(([, value]) => value);
    const isSigned = signatures.some((value) => value.split(' ').includes(`v1,${openSignature}`));
    return isSigned ? undefined : defect('', 'an event was taken without a good signature');
  },

  'no narrower than the document': (request, { status, text }, { fits }, { rules }) => {
    if (fits !== 'yes' || !isOwn(request) || expectedRefusal(request) || ![400, 415].includes(status))
      return undefined;
    const said = problem.safeParse(parsed(text)).data;
    // The generator makes no forms.
    if (text.startsWith('<!doctype html>')) return undefined;
    if (said?.code !== 'validation_failed' && said?.code !== 'malformed_json' && status !== 415)
      return undefined;
    const mistakes = (said?.errors ?? []).map(({ pointer, detail }) => `${pointer} ${detail}`);
    const unsaid = mistakes.filter(
      (mistake) => !rules.some((rule) => appliesTo(rule, request.operation) && rule.mistake.test(mistake)),
    );
    if (mistakes.length > 0 && unsaid.length === 0) return undefined;
    const which = unsaid[0] ?? `${status} ${said?.code}`;
    return defect(
      normalized(which),
      `fits the document, and was refused: ${unsaid.join('; ') || text.slice(0, 200)}`,
    );
  },

  'no wider than the document': (request, answer, { fits, mistakes }) => {
    if (fits !== 'no' || !isOwn(request) || answer.status >= 400) return undefined;
    if (readRpcError(request, answer) || readToolError(answer) !== undefined) return undefined;
    // A notification has no answer that could refuse it (JSON-RPC 2.0 §4.1).
    if (request.operation.hasJsonRpcProblems && answer.status === 202) return undefined;
    // Pages ignore the parameters that programs add to links.
    if (answer.text.startsWith('<!doctype html>')) return undefined;
    // These two have no body.
    if (request.method === 'HEAD' && isPage(request, answer)) return undefined;
    if (answer.status === 304 && isPage(request, { status: 200 })) return undefined;
    return defect(
      normalized(mistakes[0] ?? ''),
      `does not fit the document, and was ${answer.status}: ${mistakes.join('; ').slice(0, 300)}`,
    );
  },

  'a misfit is refused as such': (request, { status }, { fits, mistakes }) => {
    // No generated request has the token of a notification, or the signature of a webhook, which is its credential.
    const isWithoutToken =
      (request.operation.id === 'receiveNotification' && status === 404) ||
      (request.operation.id === 'receiveWebhook' && status === 401);
    const isDecidedBefore =
      expectedRefusal(request) !== undefined || request.credential === 'none' || isWithoutToken;
    if (fits !== 'no' || !isOwn(request) || isDecidedBefore || request.operation.isJsonRpc) return undefined;
    // Headers are read by the function, after it has found what the request is about.
    if (status < 400 || mistakes.every((mistake) => mistake.startsWith('header '))) return undefined;
    // Pages ignore unknown parameters, which mail programs add to links, and count the requests of an address.
    const isPublic = /^\/(public|auth)\//.test(request.operation.path);
    if (isPublic && (status === 429 || mistakes.every(isUnknownName))) return undefined;
    // OAuth looks at the credentials of a client first; requests of an address are limited.
    if (request.operation.isOAuth && [401, 429].includes(status)) return undefined;
    if ([400, 413, 415].includes(status)) return undefined;
    return defect(
      `${status} ${normalized(mistakes[0] ?? '')}`,
      `${status} for what does not fit: ${mistakes.join('; ').slice(0, 300)}`,
    );
  },

  'documented JSON-RPC errors': (request, answer, { fits }, { rules }) => {
    const error = readRpcError(request, answer);
    if (!error) return undefined;
    const codes = request.operation.hasJsonRpcProblems ? mcpCodes : a2aCodes;
    if (!codes.has(error.code)) return defect(`${error.code}`, `${error.code} is not documented`);
    if (error.code === internalError) return defect(`${error.code}`, `answered ${answer.text.slice(0, 300)}`);
    if (fits !== 'yes' || !invalidCodes.has(error.code)) return undefined;
    const text = JSON.stringify(error.data ?? error.message);
    if (rules.some((rule) => appliesTo(rule, request.operation) && rule.mistake.test(text))) return undefined;
    return defect(normalized(text), `fits the protocol, and was refused: ${text.slice(0, 300)}`);
  },

  'arguments of tools': (request, answer, { fits }, { rules }) => {
    const text = readToolError(answer);
    if (text === undefined) return undefined;
    if (/went wrong on our side/.test(text))
      return defect('internal', `a tool failed: ${text.slice(0, 300)}`);
    if (fits !== 'yes' || !text.startsWith('The arguments of ')) return undefined;
    if (rules.some((rule) => appliesTo(rule, request.operation) && rule.mistake.test(text))) return undefined;
    return defect(normalized(text), `fits the schema of its tool, and was refused: ${text.slice(0, 300)}`);
  },
};

/** JSON-RPC 2.0 §5.1 and A2A v1.0.1 §5.4. */
const internalError = -32603;
const invalidCodes = new Set([-32700, -32600, -32602]);
const a2aCodes = new Set([
  ...invalidCodes,
  -32601,
  internalError,
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => -32000 - n),
]);
/** MCP 2026-07-28: headers that differ from the body, a capability that is missing, a revision; and what HTTP refuses. */
const mcpCodes = new Set([...invalidCodes, -32601, internalError, -32000, -32020, -32021, -32022]);

const rpcError = z.object({
  error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }),
});
const readJsonRpcError = (text: string) => rpcError.safeParse(parsed(lastEvent(text))).data?.error;

/** The data of the last event of a stream, or the whole text. */
const lastEvent = (text: string): string => text.replace(/^.*^data: /ms, '');

/** Without problem details: an error of the protocol. */
const isMcpError = (error: ReturnType<typeof readJsonRpcError>): boolean =>
  error !== undefined && mcpCodes.has(error.code) && !problem.safeParse(error.data).success;

const readProblem = ({ operation }: FuzzRequest, text: string): unknown =>
  operation.hasJsonRpcProblems ? readJsonRpcError(text)?.data : parsed(text);

const toolError = z.object({
  result: z.object({ isError: z.literal(true), content: z.array(z.object({ text: z.string() })).min(1) }),
});

/** The text of a tool's failure, which is a result. */
const readToolError = ({ text }: Pick<FuzzAnswer, 'text'>): string | undefined =>
  toolError.safeParse(parsed(lastEvent(text))).data?.result.content[0]?.text;

const isPage = ({ operation }: FuzzRequest, { status }: Pick<FuzzAnswer, 'status'>): boolean =>
  operation.responses[status]?.content?.['text/html'] !== undefined;

/** The error of a JSON-RPC answer, whose status is 200 also for a refusal. */
const readRpcError = ({ operation }: FuzzRequest, { status, text }: FuzzAnswer) =>
  operation.isJsonRpc && status === 200 ? readJsonRpcError(text) : undefined;

const isUnknownName = (mistake: string) => mistake.endsWith('is not in the document');

/** API Gateway takes 10,240 bytes of request line and headers, and refuses the rest by itself. */
const requestLineBytesMax = 10_240;

export function defectsIn(
  request: FuzzRequest,
  answer: FuzzAnswer,
  verdict: Verdict,
  expectations: Expectations,
): Defect[] {
  if (writeTarget(request).length > requestLineBytesMax) return [];
  return Object.entries(checks).flatMap(([name, check]) => {
    const found = check(request, answer, verdict, expectations);
    return found ? [{ check: name, ...found }] : [];
  });
}

/** Every GET is served as HEAD, but for streams of events, whose HEAD would take the permit of a follower. */
const isHead = ({ method: own, responses }: Operation, method: string) =>
  method === 'HEAD' && own === 'GET' && !responses['200']?.content?.['text/event-stream'];

const isOwn = ({ operation, method, path }: FuzzRequest) =>
  (method === operation.method || isHead(operation, method)) && !Object.values(path).some(isRoute);

/**
 * Reserved words: in place of the workspace of a trigger, or of the flow of an agent, they lead to another
 * route, or to none.
 */
const isRoute = (value: string) => ['start', 'status', 'cancel', 'resume', 'agents'].includes(value);

/** A request that never reached its function: too large for the gateway, in headers or body. */
const isGatewayRefusal = (status: number) => status === 431 || status === 413;

const appliesTo = ({ operations }: Rule, { id }: Operation) => operations?.test(id) ?? true;

/** The statuses that credentials alone decide; undefined where they are good. */
function expectedRefusal({ operation, credential }: FuzzRequest): readonly number[] | undefined {
  if (operation.credentials.length === 0) return undefined;
  if (credential === 'none') return operation.isOpen ? undefined : [401];
  if (credential === 'forged' || credential === 'two different') return [401];
  if (credential === 'repeated header') return [400, 401];
  if (credential === 'weak') return operation.needsPermission ? [403] : undefined;
  return undefined;
}

const documentedCodes = ({ responses }: Operation, status: number): string[] =>
  Object.values(responses[status]?.content ?? {}).flatMap(({ examples = {} }) => Object.keys(examples));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Without what only this request has: numbers, quoted texts and names that callers chose. */
const normalized = (text: string): string =>
  text
    .replace(/"[^"]*"/g, '""')
    .replace(/\d+/g, 'n')
    .slice(0, 120);
