// Measures what a message to an agent of one node costs until its task is completed: our function beside an agent of
// the official A2A SDK with express, each in a process of its own, over HTTP, in turns. Both check the same API key
// with the same code, and keep their tasks in the same store in memory, so no engine and no AWS client counts.
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
  const costs = await measureInTurns([ours, peer], caller.key);
  const [mine, theirs] = costs.map((rounds) => toFigure(rounds.map(({ cpuMicros }) => cpuMicros)));
  if (!mine || !theirs) throw new Error('Expected the costs of both sides.');
  return [
    {
      what: 'A2A SendMessage, CPU; peer: a2a-js with express',
      unit: 'µs',
      ours: mine,
      peer: theirs,
    },
    {
      what: 'the same, bytes written to the store',
      unit: 'bytes',
      ours: toFigure(costs[0].map(({ bytes }) => bytes)),
      peer: toFigure(costs[1].map(({ bytes }) => bytes)),
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

interface RoundCost {
  readonly cpuMicros: number;
  readonly bytes: number;
}
type Costs = readonly [RoundCost[], RoundCost[]];

/** In turns, so that other work of the machine affects both sides. */
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

/** Of one message, as the average of a round. */
async function measureRound(subject: Subject, key: string): Promise<RoundCost> {
  const { url } = ready.parse(subject.ready);
  const before = await readCpu(subject);
  for (let n = 0; n < messagesPerRound; n += 1) await sendMessage(url, key);
  const cpuMicros = ((await readCpu(subject)) - before) / messagesPerRound;
  const { bytes } = written.parse(await subject.ask('reset'));
  return { cpuMicros, bytes: bytes / messagesPerRound };
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
