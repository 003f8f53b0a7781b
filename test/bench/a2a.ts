// Measures what a message to an agent of one node costs until its task is completed: our function beside an agent of
// the official A2A SDK with express, each in a process of its own, over HTTP, in turns. Both check the same API key
// with the same code, and reach the same tables in memory through the same port, so no engine and no AWS client counts.
import * as z from 'zod';
import { installPeers } from './peers.ts';
import { type Owner, owner, request, rowPath } from './registry-caller.ts';
import { type Row, toFigure } from './row.ts';
import { type Subject, startSubject } from './subject.ts';
import { asDeployed } from './webhook.ts';

const repetitions = 9;
const warmUpRounds = 3;
const messagesPerRound = 400;

const hostReady = z.object({ baseUrl: z.string(), environment: z.record(z.string(), z.string()) });
const ready = z.object({ url: z.string() });
const written = z.object({ puts: z.number(), bytes: z.number() });

export async function a2aRows(): Promise<Row[]> {
  await installPeers();
  await using host = await startSubject(new URL('subject-host.ts', import.meta.url));
  const { baseUrl, environment } = hostReady.parse(host.ready);
  const caller = { ...owner.parse(await host.ask('owner')), baseUrl };
  const flowid = await promoteEcho(caller);
  const options = { args: [flowid], environment: { ...environment, ...asDeployed } };
  await using ours = await startSubject(new URL('subject-a2a-ours.ts', import.meta.url), options);
  await using peer = await startSubject(new URL('subject-a2a-peer.ts', import.meta.url), options);
  const subjects = [ours, peer] as const;
  const [mine, theirs] = await measureInTurns(subjects, caller.key);
  const [myBytes, theirBytes] = [await measureBytes(ours, caller.key), await measureBytes(peer, caller.key)];
  return [
    {
      what: 'A2A SendMessage, CPU; peer: a2a-js with express',
      unit: 'µs',
      ours: toFigure(mine),
      peer: toFigure(theirs),
    },
    {
      what: 'the same, bytes written to the tables',
      unit: 'bytes',
      ours: toFigure([myBytes]),
      peer: toFigure([theirBytes]),
    },
  ];
}

/** An agent of one node that repeats its message, live. */
async function promoteEcho(caller: Owner): Promise<string> {
  const flowid = `flow_${crypto.randomUUID()}`;
  const skill = { id: 'echo', name: 'Echo', description: 'Repeats the message.', tags: ['echo'] };
  const { text } = await request(caller, 'POST', `${rowPath}?workspaceid=${caller.workspaceid}`, {
    flowid,
    agent_card: { name: 'Echo', description: 'Repeats the message.', skills: [skill] },
    flow: {
      version: 1,
      name: 'Echo',
      start: 'done',
      nodes: { done: { type: 'end', output: { answer: 'You said: {{ input.message }}' } } },
    },
  });
  const { a2aregistryid } = z.object({ a2aregistryid: z.string() }).parse(JSON.parse(text));
  await request(caller, 'PUT', `${rowPath}/${a2aregistryid}/promote-live`);
  return flowid;
}

type Costs = readonly [number[], number[]];

/** In µs for a message. In turns, so that other work of the machine affects both sides. */
async function measureInTurns(subjects: readonly [Subject, Subject], key: string): Promise<Costs> {
  const costs: Costs = [[], []];
  for (const subject of subjects) {
    await sendMessage(ready.parse(subject.ready).url, key);
    await subject.ask('useMemory');
  }
  for (let n = 0; n < warmUpRounds + repetitions; n += 1) {
    const [first, second] = [await measureRound(subjects[0], key), await measureRound(subjects[1], key)];
    if (n < warmUpRounds) continue;
    costs[0].push(first);
    costs[1].push(second);
  }
  return costs;
}

/** CPU time of one message in µs, as the average of a round. */
async function measureRound(subject: Subject, key: string): Promise<number> {
  const { url } = ready.parse(subject.ready);
  const before = await readCpu(subject);
  for (let n = 0; n < messagesPerRound; n += 1) await sendMessage(url, key);
  const cpuMicros = (await readCpu(subject)) - before;
  await subject.ask('reset');
  return cpuMicros / messagesPerRound;
}

/** Of one message. Call it last, since counting takes time too. */
async function measureBytes(subject: Subject, key: string): Promise<number> {
  await subject.ask('countWrites');
  await sendMessage(ready.parse(subject.ready).url, key);
  return written.parse(await subject.ask('reset')).bytes;
}

const readCpu = async (subject: Subject) => z.number().parse(await subject.ask('cpu'));

const question = 'Where is my order 1042?';
const answered = z.object({
  result: z.object({
    task: z.object({
      id: z.string(),
      contextId: z.string(),
      status: z.object({ state: z.literal('TASK_STATE_COMPLETED'), timestamp: z.string() }),
      artifacts: z.tuple([
        z.object({ parts: z.tuple([z.object({ text: z.literal(`You said: ${question}`) })]) }),
      ]),
      history: z.tuple([z.object({ parts: z.tuple([z.object({ text: z.literal(question) })]) })]),
    }),
  }),
});

async function sendMessage(url: string, key: string): Promise<void> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: question }] };
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': key },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
  });
  // A side that does not do the work must not win.
  answered.parse(await response.json());
}
