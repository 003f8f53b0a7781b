// Calls an agent over A2A 1.0 (JSON-RPC), and prints what it answers.
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { CommandFailure, wrongUsage } from '../command-failure.ts';
import { exitCodes } from '../exit-codes.ts';
import { plainText } from '../plain-text.ts';
import { note, printJson } from '../print.ts';
import { programName } from '../program-name.ts';
import { readEvents } from './events.ts';
import { findByFlow } from './find-build.ts';
import { send } from './request.ts';
import type { Target } from './target.ts';

const part = z.looseObject({
  text: z.string().optional(),
  data: z.json().optional(),
  url: z.string().optional(),
  filename: z.string().optional(),
});
const parts = z.looseObject({ parts: z.array(part).default([]) });
const status = z.looseObject({ state: z.string(), message: parts.optional() });
const artifact = z.looseObject({ artifactId: z.string(), parts: z.array(part).default([]) });
const result = z.looseObject({
  task: z
    .looseObject({
      id: z.string(),
      contextId: z.string().optional(),
      status,
      artifacts: z.array(artifact).default([]),
    })
    .optional(),
  message: parts.optional(),
  statusUpdate: z.looseObject({ taskId: z.string(), status }).optional(),
  artifactUpdate: z.looseObject({ taskId: z.string(), artifact, append: z.boolean().optional() }).optional(),
});
type A2aResult = z.infer<typeof result>;

const answer = z.looseObject({
  result: z.json().optional(),
  error: z.looseObject({ code: z.number(), message: z.string(), data: z.json().optional() }).optional(),
});

export interface SentMessage {
  readonly text: string;
  readonly taskId: string | undefined;
  readonly contextId: string | undefined;
}

/** What the command prints: text as it comes, the events of the stream, or only the result. */
type Form = 'text' | 'events' | 'result';

/** Whether the agent has answered to the end. */
export async function callAgent(
  target: Target,
  agent: string,
  message: SentMessage,
  form: Form,
): Promise<boolean> {
  const { url, unpublished } = await agentUrl(target, agent);
  try {
    return await callAt(target, url, agent, message, form);
  } catch (error) {
    const isRefused = error instanceof CommandFailure && error.members.status === 401;
    throw isRefused && unpublished !== undefined ? noLiveBuild(target, unpublished, error) : error;
  }
}

/** The credentials are valid, since the builds could be listed with them. */
const noLiveBuild = (target: Target, flowid: string, { members }: CommandFailure): CommandFailure =>
  new CommandFailure(
    `Calling the agent failed: no build of ${flowid} is live in the workspace ${target.workspace}, and no other agent at its URL is open to these credentials.`,
    {
      exitCode: exitCodes.refused,
      members,
      lines: [
        `\`${programName()} builds ${flowid}\` lists its builds, \`${programName()} promote ${flowid}\` makes the newest live.`,
      ],
    },
  );

async function callAt(
  target: Target,
  url: string,
  agent: string,
  message: SentMessage,
  form: Form,
): Promise<boolean> {
  if (form === 'result') return await callOnce(target, url, message);
  for (let next: SentMessage | undefined = message; next; ) {
    const end: StreamEnd = await stream(target, url, next, form);
    if (end.state === 'TASK_STATE_FAILED' && form === 'text')
      note(`Its log: ${programName()} logs ${end.taskId}`);
    if (end.state !== 'TASK_STATE_INPUT_REQUIRED') return end.state === 'TASK_STATE_COMPLETED';
    const text = form === 'text' ? await ask() : undefined;
    if (text === undefined && form === 'text')
      note(`Answer with: ${programName()} call ${agent} "…" --task ${end.taskId}`);
    next = text === undefined ? undefined : { text, taskId: end.taskId, contextId: undefined };
  }
  return false;
}

interface AgentUrl {
  readonly url: string;
  /** A flow of which no build is live in the workspace, as the list of builds says. */
  readonly unpublished?: string;
}

/** A key only goes to its own service, so the URL of an agent must be there. */
async function agentUrl(target: Target, agent: string): Promise<AgentUrl> {
  const root = `${target.url}/api/v1/ai/a2a`;
  if (/^https?:/.test(agent)) {
    if (agent.startsWith(`${target.url}/`)) return { url: agent };
    throw wrongUsage(
      `${agent} is not an agent of ${target.url}, the service of ${target.source}: a key is only sent to its own service.`,
    );
  }
  if (agent.startsWith('reg_')) return { url: `${root}/agents/${encodeURIComponent(agent)}/` };
  if (!agent.includes('@') || agent.endsWith('@live')) {
    const flowid = agent.replace(/@live$/, '');
    return await liveUrl(target, flowid, `${root}/${encodeURIComponent(flowid)}/`);
  }
  const build = await findByFlow(target, agent, 'live');
  const url = `${root}/${encodeURIComponent(build.flowid)}/${encodeURIComponent(build.a2aregistryid)}/`;
  return { url };
}

/**
 * The short URL of a flow belongs to the workspace that registered it first in the tenant, so that of the own live
 * build may be another one. It is the short URL where there is none, or it may not be listed: callers need not read
 * builds.
 */
async function liveUrl(target: Target, flowid: string, shortUrl: string): Promise<AgentUrl> {
  if (target.workspace === undefined) return { url: shortUrl };
  try {
    const { hosted_url } = await findByFlow(target, flowid, 'live');
    return { url: `${target.url}${hosted_url.slice(hosted_url.indexOf('/api/v1/ai/a2a/'))}` };
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.exitCode === exitCodes.unavailable) throw error;
    const wasListed = error.members.status === undefined;
    return { url: shortUrl, ...(wasListed && { unpublished: flowid }) };
  }
}

async function post(target: Target, url: string, method: string, message: SentMessage): Promise<Response> {
  const { text, taskId, contextId } = message;
  const ids = { ...(taskId !== undefined && { taskId }), ...(contextId !== undefined && { contextId }) };
  const params = { message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...ids } };
  return await send(target, 'Calling the agent', url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
}

async function callOnce(target: Target, url: string, message: SentMessage): Promise<boolean> {
  const response = await post(target, url, 'SendMessage', message);
  const content = readAnswer(await response.json(), response);
  printJson(content);
  return content.task === undefined || content.task.status.state === 'TASK_STATE_COMPLETED';
}

/** Errors of the protocol have status 200. */
function readAnswer(given: unknown, { headers }: Response): A2aResult {
  const { result: content, error } = answer.parse(given);
  if (!error) return result.parse(content);
  const request = headers.get('x-request-id');
  throw new CommandFailure(`Calling the agent failed: ${error.message}`, {
    exitCode: exitCodes.refused,
    members: { code: error.code, data: error.data ?? null, request_id: request, retry: false },
    lines: [
      `Code ${error.code}, request ${request ?? 'unknown'}.`,
      'Try again: no, the request must change first.',
    ],
  });
}

interface StreamEnd {
  readonly state: string | undefined;
  readonly taskId: string | undefined;
}

async function stream(target: Target, url: string, message: SentMessage, form: Form): Promise<StreamEnd> {
  const response = await post(target, url, 'SendStreamingMessage', message);
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    readAnswer(await response.json(), response);
  const printer = createPrinter();
  let end: StreamEnd = { state: undefined, taskId: undefined };
  for await (const { data } of readEvents(response)) {
    const content = readAnswer(data, response);
    const update = content.statusUpdate ?? content.task;
    const state = update?.status.state ?? (content.message ? 'TASK_STATE_COMPLETED' : end.state);
    end = { state, taskId: content.task?.id ?? content.statusUpdate?.taskId ?? end.taskId };
    if (form === 'events') console.log(JSON.stringify(content));
    else printer.print(content);
  }
  printer.finish();
  return end;
}

/** Answers go to stdout, what the agent says meanwhile to stderr. */
function createPrinter() {
  let writing: string | undefined;
  const newLine = () => {
    if (writing !== undefined) process.stdout.write('\n');
    writing = undefined;
  };
  const printArtifact = ({
    artifact: { artifactId, parts: given },
    append,
  }: NonNullable<A2aResult['artifactUpdate']>) => {
    if (writing !== artifactId || append !== true) newLine();
    process.stdout.write(formatParts(given));
    writing = artifactId;
  };
  return {
    print: ({ task, message, statusUpdate, artifactUpdate }: A2aResult): void => {
      for (const each of task?.artifacts ?? []) printArtifact({ taskId: '', artifact: each });
      if (artifactUpdate) printArtifact(artifactUpdate);
      if (message) process.stdout.write(`${formatParts(message.parts)}\n`);
      const said = (statusUpdate ?? task)?.status;
      if (!said) return;
      const text = formatParts(said.message?.parts ?? []);
      if (text !== '' || !quietStates.has(said.state)) newLine();
      if (text !== '') note(`« ${text}`);
      if (!quietStates.has(said.state)) note(describeState(said.state));
    },
    finish: newLine,
  };
}

const quietStates: ReadonlySet<string> = new Set([
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
]);

/** `TASK_STATE_INPUT_REQUIRED` is `input required`. */
const describeState = (state: string): string =>
  `The task is in the state ${state.replace('TASK_STATE_', '').replaceAll('_', ' ').toLowerCase()}.`;

const formatParts = (given: z.infer<typeof parts>['parts']): string =>
  given
    .map(({ text, data, url, filename }) =>
      plainText(
        text ?? (data === undefined ? (url ?? filename ?? '(a file)') : JSON.stringify(data, undefined, 2)),
      ),
    )
    .join('\n');

/** Undefined where nobody can answer. */
async function ask(): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const { isCancel, text } = await import('@clack/prompts');
  const given = await text({ message: 'Your answer', output: process.stderr });
  return isCancel(given) ? undefined : given;
}
