// The service as `npm start` runs it, in a process of its own and, so that tests do not meet, in a home and
// on a port of its own.
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import * as z from 'zod';
import { type Ready, readReady, resolveHome } from '#lib/local/home.ts';
import { closeServer, listen } from '#lib/local/listen.ts';
import { type Send, sender } from '#lib/local/send.ts';
import { registryRow } from '#lib/registry/row/row.ts';
import { runScript } from './run-script.ts';

export interface LocalStart {
  readonly ready: Ready;
  readonly printed: string;
  /** The commands that it prints to be copied. */
  readonly commands: readonly string[];
  /** Requests with the demo key. */
  readonly send: Send;
  /** Resolves to the exit code. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

export async function startLocal(home: string, env: NodeJS.ProcessEnv = {}): Promise<LocalStart> {
  const script = runScript('local', [], { AGENT_FLOW_HOME: home, PORT: '0', ...env });
  await script.prints('Stop with Ctrl-C.');
  const ready = readReady(resolveHome(home));
  if (!ready) throw new Error(`There is no ready.json in ${home}.`);
  const printed = script.printed();
  return {
    ready,
    printed,
    commands: printed.match(/curl .*/g) ?? [],
    send: sender(ready),
    stop: (signal = 'SIGINT') => {
      script.child.kill(signal);
      return script.ended;
    },
  };
}

interface OwnBuild {
  readonly name?: string;
  readonly tags?: readonly string[];
  readonly flow?: object;
}

/**
 * Registers a build of the example flow, like the one that the service began with but for what is given, and
 * promotes it.
 */
export async function putLive({ send, ready }: LocalStart, { flow, ...card }: OwnBuild): Promise<string> {
  const { workspaceid, flowid, registryId } = ready;
  const first = registryRow
    .unwrap()
    .strip()
    .parse(await send(`GET /api/v1/a2a-registry/${registryId}?flow=true`));
  const agent_card = { ...first.agent_card, ...card };
  const body = { flowid, agent_card, flow: flow ?? first.flow };
  const own = await send(`POST /api/v1/a2a-registry?workspaceid=${workspaceid}`, body);
  const { a2aregistryid } = registryRow.unwrap().strip().parse(own);
  await send(`PUT /api/v1/a2a-registry/${a2aregistryid}/promote-live`);
  return a2aregistryid;
}

/** The printed commands do what is said of them: trigger, webhook, A2A. */
export async function checkCommands({ commands, ready }: LocalStart): Promise<void> {
  const [trigger = '', webhook = '', a2a = '', ...more] = commands;
  expect(more).toEqual([]);
  expect(await paste(trigger)).toMatchObject({ status: 'completed', error: null });
  const accepted = await paste(webhook);
  expect(accepted).toMatchObject({ status: 'accepted', triggerId: expect.any(String) });
  const { triggerId } = z.object({ triggerId: z.string() }).parse(accepted);
  expect(await ended(ready, triggerId)).toMatchObject({ status: 'completed', error: null });
  expect(await paste(a2a)).toMatchObject({ result: { task: { status: { state: 'TASK_STATE_COMPLETED' } } } });
}

/** The run of an event begins a moment after the event was accepted; until then it is not found. */
async function ended({ baseUrl, workspaceid, apiKey }: Ready, id: string): Promise<unknown> {
  const url = `${baseUrl}/api/v1/ai/trigger/status/${workspaceid}/${id}?wait=10`;
  for (;;) {
    const response = await fetch(url, { headers: { 'x-api-key': apiKey } });
    const state = z.looseObject({ status: z.unknown() }).parse(await response.json());
    if (response.status !== 404 && state.status !== 'pending') return state;
  }
}

/** Runs a command as it was printed and parses what it prints. */
async function paste(command: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command]);
  return JSON.parse(stdout);
}

/** Keeps the port of a URL from others, unless somebody else does so already; returns what lets go of it. */
export async function occupy(url: string): Promise<() => Promise<void>> {
  const server = createServer((_request, response) => response.writeHead(418).end());
  await listen(server, Number(new URL(url).port), 0);
  return () => closeServer(server);
}
