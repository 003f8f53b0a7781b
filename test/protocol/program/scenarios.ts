// What is tried with each client at each address: a scenario fails by throwing. The agents are the flows `conformance` and
// `conformance-connection` of events/flows.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { ReceivedRequest } from '#test/support/receiver.ts';
import { NotOffered, type TestedClient } from './client.ts';
import {
  describeEvent,
  readState,
  readTexts,
  textMessage,
  type WireEvent,
  type WirePart,
  type WireTask,
} from './wire.ts';

export interface Trial {
  readonly client: TestedClient;
  /** Of the agent that needs a connection. */
  readonly connectToWaiting: () => Promise<TestedClient>;
  readonly storeConnection: () => Promise<void>;
  readonly removeConnection: () => Promise<void>;
  /** A receiver of push notifications; none if the service could not reach it. */
  readonly receiver: { readonly url: string; readonly received: readonly ReceivedRequest[] } | undefined;
}

type Scenario = (trial: Trial) => Promise<void>;

const csv = {
  raw: Buffer.from('name\nAda\n').toString('base64'),
  mediaType: 'text/csv',
  filename: 'travellers.csv',
};
const itinerary = {
  raw: Buffer.from('day,city\n1,Rome\n').toString('base64'),
  mediaType: 'text/csv',
  filename: 'itinerary.csv',
};

/** By name, in the order of the table. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  card: async ({ client: { card } }) => {
    assert.equal(card.name, 'Conformance');
    assert.deepEqual(card.skills, ['conformance']);
    assert.equal(card.urls.length, 1);
  },

  'card signature': async ({ client: { verifySignature } }) => {
    if (!verifySignature) throw new NotOffered('the card of A2A 0.3 is not signed');
    await verifySignature();
  },

  'extended card': async ({ client }) => {
    const { name, extensions } = await client.extendedCard();
    assert.equal(name, 'Conformance');
    assert.ok(extensions.includes('urn:agent-flow:extension:build'), `Its extensions are ${extensions}.`);
  },

  send: async ({ client }) => {
    const task = await sendForTask(client, 'text');
    assert.equal(readState(task), 'COMPLETED');
    assert.deepEqual(task.artifacts.map(readTexts), ['Three nights in Rome.']);
    assert.deepEqual(task.history.map(readTexts), ['text']);
  },

  'message instead of task': async ({ client }) => {
    const { message, task } = await client.send(textMessage('message'));
    assert.equal(task, undefined);
    assert.equal(readTexts(message), 'Hello.');
  },

  artifacts: async ({ client }) => {
    const data = await sendForTask(client, 'data');
    assert.deepEqual(data.artifacts[0]?.parts[0]?.data, { city: 'Rome', nights: 3 });
    const several = await sendForTask(client, 'several');
    assert.equal(readTexts(several.status.message), 'All is ready.');
    const names = several.artifacts.map(({ name }) => name);
    assert.deepEqual(names, ['note', 'journey', 'itinerary', 'map', 'summary']);
    const [note, journey, file, map] = several.artifacts.map(({ parts }) => parts[0]);
    assert.equal(note?.text, 'Bring good shoes.');
    assert.deepEqual(journey?.data, { city: 'Rome', nights: 3 });
    assert.deepEqual(pickFile(file), itinerary);
    assert.equal(map?.url, 'https://example.com/rome.png');
    assert.deepEqual(several.artifacts[1]?.metadata, { version: 1 });
  },

  'working, with words': async ({ client }) => {
    const events = await collect(client.stream(textMessage('working')));
    assert.deepEqual(events.map(describeEvent), [
      'task WORKING',
      'status WORKING Looking for hotels.',
      'status WORKING Found three hotels.',
      'status WORKING Choosing one of them.',
      'artifact response',
      'status COMPLETED',
    ]);
  },

  'stream of text': async ({ client }) => {
    const events = await collect(client.stream(textMessage('stream')));
    const chunks = events.flatMap(({ artifactUpdate }) => artifactUpdate ?? []);
    assert.deepEqual(
      chunks.map(({ artifact, append, lastChunk }) => [readTexts(artifact), append, lastChunk]),
      [
        ['Rome ', false, false],
        ['was not built ', true, false],
        ['in a day.', true, true],
      ],
    );
    const task = await client.get(events[0]?.task?.id ?? '');
    assert.deepEqual(task.artifacts.map(readTexts), ['Rome was not built in a day.']);
  },

  get: async ({ client }) => {
    const sent = await sendForTask(client, 'several');
    assert.deepEqual(await client.get(sent.id), sent);
    assert.deepEqual((await client.get(sent.id, 0)).history, []);
  },

  list: async ({ client: { list, ...client } }) => {
    if (!list) throw new NotOffered('A2A 0.3 has no such operation');
    const contextId = crypto.randomUUID();
    const first = await sendForTask(client, 'text', { contextId });
    const second = await sendForTask(client, 'data', { contextId });
    const query = { contextId, pageSize: 1 };
    const page = await eventually(
      () => list(query),
      ({ totalSize }) => totalSize === 2,
    );
    const rest = await list({ ...query, pageToken: page.nextPageToken });
    assert.deepEqual(
      [...page.tasks, ...rest.tasks].map(({ id }) => id),
      [second.id, first.id],
    );
    assert.equal(rest.nextPageToken, '');
  },

  cancel: async ({ client }) => {
    const task = await sendForTask(client, 'wait');
    assert.equal(readState(task), 'WORKING');
    assert.equal(readState(await client.cancel(task.id)), 'CANCELED');
    assert.equal(readState(await client.get(task.id)), 'CANCELED');
  },

  'several turns, with files both ways': async ({ client }) => {
    const asked = await sendForTask(client, 'ask');
    assert.equal(readState(asked), 'INPUT_REQUIRED');
    assert.match(readTexts(asked.status.message), /Which city\?/);
    const { id: taskId } = asked;
    const again = readTask(await client.send(textMessage('Rome', { taskId })));
    assert.equal(readState(again), 'INPUT_REQUIRED');
    assert.match(readTexts(again.status.message), /list of travellers/);
    checkBooked(readTask(await client.send({ parts: [csv], taskId })));
  },

  submitted: async ({ client }) => {
    const task = await sendForTask(client, 'ask', { returnImmediately: true });
    assert.equal(readState(task), 'SUBMITTED');
    const asked = await eventually(() => client.get(task.id), hasState('INPUT_REQUIRED'));
    await client.cancel(asked.id);
  },

  failed: async ({ client }) => {
    const task = await sendForTask(client, 'fail');
    assert.equal(readState(task), 'FAILED');
    assert.match(readTexts(task.status.message), /All hotels in Rome are full\./);
  },

  rejected: async ({ client }) => {
    const task = await sendForTask(client, 'reject');
    assert.equal(readState(task), 'REJECTED');
    assert.match(readTexts(task.status.message), /moon/);
  },

  'auth required': async ({ connectToWaiting, storeConnection, removeConnection }) => {
    await removeConnection();
    const client = await connectToWaiting();
    const task = await sendForTask(client, 'Hello');
    assert.equal(readState(task), 'AUTH_REQUIRED');
    const [words, details] = task.status.message?.parts ?? [];
    assert.match(words?.text ?? '', /\/public\/agent-config\?/);
    assert.ok(JSON.stringify(details?.data).includes('"connection":"conformance"'));
    await storeConnection();
    const ended = await eventually(() => client.get(task.id), hasState('COMPLETED'));
    assert.deepEqual(ended.artifacts.map(readTexts), ['The connection is stored.']);
  },

  'subscribe after a disconnect': async ({ client }) => {
    const stream = client.stream(textMessage('ask'));
    const first = readTask((await stream.next()).value ?? {});
    await stream.return(undefined);
    const answers = [textMessage('Rome', { taskId: first.id }), { parts: [csv], taskId: first.id }];
    const seen: string[] = [];
    for await (const event of client.subscribe(first.id)) {
      seen.push(describeEvent(event));
      const shown = event.task ?? event.statusUpdate;
      if (shown && readState(shown) === 'INPUT_REQUIRED')
        await client.send(answers.shift() ?? textMessage(''));
    }
    assert.match(seen[0] ?? '', /^task /);
    assert.deepEqual(seen.slice(-3), ['artifact end-1', 'artifact response', 'status COMPLETED']);
    checkBooked(await client.get(first.id));
  },

  'push to a receiver': async ({ client, receiver }) => {
    if (!receiver) throw new NotOffered('the service cannot reach a receiver on this machine');
    const token = crypto.randomUUID();
    const asked = await sendForTask(client, 'ask', { push: { url: receiver.url, token } });
    await client.send(textMessage('Rome', { taskId: asked.id }));
    await client.send({ parts: [csv], taskId: asked.id });
    const own = () =>
      receiver.received
        .filter(({ headers }) => headers['x-a2a-notification-token'] === token)
        .map(({ body }) => describeEvent(client.readNotification(JSON.parse(body))));
    const notifications = await eventually(
      async () => own(),
      (list) => list.includes('status COMPLETED'),
    );
    assert.deepEqual([...new Set(notifications)], notificationsOfBooking);
  },

  'push configurations': async ({ client, receiver }) => {
    const url = receiver?.url ?? 'https://example.com/a2a';
    const { id: taskId } = await sendForTask(client, 'ask');
    const id = await client.push.create(taskId, { id: 'first', url, token: 'task-token' });
    await client.push.create(taskId, { id: 'second', url, token: 'task-token' });
    assert.equal(id, 'first');
    assert.equal((await client.push.get(taskId, id)).url, url);
    assert.deepEqual(await client.push.list(taskId), ['first', 'second']);
    await client.push.delete(taskId, 'first');
    assert.deepEqual(await client.push.list(taskId), ['second']);
    await client.cancel(taskId);
  },

  errors: async ({ client }) => {
    const reasonOf = async (call: Promise<unknown>) =>
      await call.then(
        () => 'none',
        (error) => client.readReason(error),
      );
    const { id } = await sendForTask(client, 'text');
    assert.equal(await reasonOf(client.get(crypto.randomUUID())), 'TASK_NOT_FOUND');
    assert.equal(await reasonOf(client.cancel(id)), 'TASK_NOT_CANCELABLE');
    assert.equal(await reasonOf(client.subscribe(id).next()), 'UNSUPPORTED_OPERATION');
  },
};

const notificationsOfBooking = [
  'task WORKING',
  'status WORKING Reading the request.',
  'status INPUT_REQUIRED Which city?',
  'status WORKING',
  'status INPUT_REQUIRED Send the list of travellers as a file.',
  'artifact end-1',
  'artifact response',
  'status COMPLETED',
];

type Sending = Pick<TestedClient, 'send'>;

const sendForTask = async (client: Sending, text: string, some: Parameters<typeof textMessage>[1] = {}) =>
  readTask(await client.send(textMessage(text, some)));

function readTask({ task }: WireEvent): WireTask {
  assert.ok(task, 'Expected a task.');
  return task;
}

const hasState = (state: string) => (task: WireTask) => readState(task) === state;

const pickFile = ({ raw, mediaType, filename }: WirePart = {}) => ({ raw, mediaType, filename });

function checkBooked(task: WireTask): void {
  assert.equal(readState(task), 'COMPLETED');
  const [travellers, response] = task.artifacts;
  assert.deepEqual(pickFile(travellers?.parts[0]), csv);
  assert.equal(response && readTexts(response), 'Booked Rome.');
}

async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const patienceMs = 60_000;

/** Asks until the answer is the expected one: what happens in the background takes a moment. */
async function eventually<T>(ask: () => Promise<T>, isExpected: (answer: T) => boolean): Promise<T> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (isExpected(answer)) return answer;
    if (performance.now() > until)
      throw new Error(`After ${patienceMs / 1_000} s it is still ${JSON.stringify(answer).slice(0, 400)}.`);
    await setTimeout(50);
  }
}
