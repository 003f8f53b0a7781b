// The failure drills: for each runbook the fault that it is about, made in a host of its own, what an operator sees of it,
// the cure as the runbook has it, and what is seen then.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as z from 'zod';
import { controlTable } from '#lib/dynamo/client.ts';
import { updateItem } from '#lib/dynamo/items.ts';
import { awsJson } from '#lib/local/aws-json.ts';
import { flow, newRow, promoted } from '../builders.ts';
import { newCallbackSecret } from '../callbacks.ts';
import { newCaller, type TestCaller, unique } from '../caller.ts';
import { call } from '../client.ts';
import { liveAgent, type TestAgent } from '../flows.ts';
import { linesEvent } from '../printed-records.ts';
import { startReceiver } from '../receiver.ts';
import { runState } from '../run-calls.ts';
import { deliver, webhookMessage } from '../runs.ts';
import { newTrigger } from '../triggers.ts';
import { trigger } from './agent-calls.ts';
import type { DrillHost } from './drill-host.ts';
import type { Transcript } from './transcript.ts';

/** By the heading of the runbook in docs/operations.md. */
export const drills: Readonly<Record<string, (drill: DrillHost) => Promise<Transcript>>> = {
  'Runs dead-lettered': lostBuild,
  'Dead letters stuck': refusedDeadLetter,
  'Deliveries dead-lettered': refusedDelivery,
  'Payloads unreadable': disabledKey,
  'Audit dead-lettered': refusedAudit,
  'Audit lost': invalidRecord,
  'Error budget': unreachableDynamoDb,
  'Schedules failing': invalidTrigger,
  'Schedules skipped': lateSchedule,
  'Budget exhausted': exhaustedBudget,
  'Tables throttled': throttledWrites,
};

/** Why the others cannot be made here. */
export const notDrilled: Readonly<Record<string, string>> = {
  'Runs waiting': 'the age of messages is measured by SQS itself; the embedded queue has no such metric',
  'Worker errors':
    'crashes and timeouts are counted by Lambda; `npm run chaos` kills workers and checks what becomes of their runs',
  'Functions throttled':
    'the concurrency of an account is a limit of Lambda, which the local host does not have',
  'Gradual updates':
    'versions, aliases and CodeDeploy, which undoes an update, are not emulated; the template is tested',
};

async function lostBuild(drill: DrillHost): Promise<Transcript> {
  const caller = await newCaller();
  const flowid = unique('flow');
  const { triggerId } = await sendEvent({ ...caller, flowid, a2aregistryid: '' });
  await drill.waitLonger(5);
  const listed = await dlq(drill, 'list');
  const { reason } = await onlyLetter(caller);
  const seen = [
    `The metric \`DeadLetters\` is ${drill.metric('DeadLetters')}.`,
    `\`npm run dlq -- list\` prints ${lineCount(listed)}; the reason is "${nameless(reason, flowid)}".`,
  ];
  await promoted(caller, await newRow(caller, { flowid, flow: flow() }));
  const redriven = await dlq(drill, 'redrive');
  await drill.waitLonger();
  return {
    fault: 'An event waits in the queue of runs, and its flow has no live build.',
    seen,
    cure: `A build is promoted, and \`npm run dlq -- redrive\` sends back ${lineCount(redriven)}.`,
    after: [`The run of the event is \`${(await runState(caller, triggerId)).status}\`.`],
  };
}

async function refusedDeadLetter(drill: DrillHost): Promise<Transcript> {
  const caller = await newCaller();
  drill.breakDynamoDb((_operation, body) => (body.includes('"DEAD#') ? throttled : 'pass'));
  await sendEvent({ ...caller, flowid: unique('flow'), a2aregistryid: '' });
  await drill.waitLonger(6);
  const seen = [
    `Messages that stay in the dead-letter queue: ${await drill.messages('RunDeadLetterQueue')}.`,
    `The log of \`KeepDeadLetter\` has ${quoteLog(drill, /message goes back to the queue.*dead-letter\/keep|dead-letter\/keep.*message goes back/)}.`,
  ];
  drill.mend();
  await drill.waitLonger(2);
  await onlyLetter(caller);
  return {
    fault: 'DynamoDB throttles the writes of the function that stores dead letters.',
    seen,
    cure: 'DynamoDB takes writes again. Nothing else is done.',
    after: [
      `The dead letter is in the list of its workspace. Messages in the dead-letter queue: ${await drill.messages('RunDeadLetterQueue')}.`,
    ],
  };
}

async function refusedDelivery(drill: DrillHost): Promise<Transcript> {
  const receiver = await startReceiver();
  const agent = await liveAgent({ flow: flow() });
  await newCallbackSecret(agent);
  drill.breakDynamoDb((_operation, body) =>
    body.includes('"CALLBACK"') && !body.includes('"META"') ? throttled : 'pass',
  );
  const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
  const body = { message: 'Hello', callback_url: receiver.url };
  await call('startRun', { key: agent.key, params, body });
  await drill.waitLonger(8);
  const stuck = await drill.messages('DeliveryDeadLetterQueue');
  const seen = [
    `Messages in the dead-letter queue of deliveries, that of the run and that which makes sure of it: ${stuck}. Callbacks that the receiver has got: ${receiver.received.length}.`,
    `The log of \`DeliverCallback\` has ${quoteLog(drill, /callback\/deliver.*message goes back|message goes back.*callback\/deliver/)}.`,
  ];
  drill.mend();
  await moveMessages(drill, 'DeliveryDeadLetterQueue', 'DeliveryQueue');
  await drill.waitLonger(2);
  const after = [`Callbacks that the receiver has got: ${receiver.received.length}.`];
  await receiver.close();
  return {
    fault: 'DynamoDB refuses what the function that delivers callbacks reads and writes.',
    seen,
    cure: 'DynamoDB answers again, and the messages of the dead-letter queue go back to the queue of deliveries.',
    after,
  };
}

async function disabledKey(drill: DrillHost): Promise<Transcript> {
  const agent = await liveAgent({ flow: flow() });
  drill.disableFlowKey();
  const refused = await trigger(agent);
  const seen = [
    `A trigger is answered ${refused}.`,
    `The metric \`PayloadUnreadable\` is ${drill.metric('PayloadUnreadable')}.`,
    `The log has ${quoteLog(drill, /payload_unreadable/)}.`,
  ];
  drill.mend();
  return {
    fault: 'Somebody disables the flow key.',
    seen,
    cure: 'The key is enabled again.',
    after: [`The same trigger is answered ${await trigger(agent)}.`],
  };
}

async function refusedAudit(drill: DrillHost): Promise<Transcript> {
  const caller = await newCaller();
  drill.breakDynamoDb((operation, body) =>
    operation === 'BatchWriteItem' && body.includes('AUDIT#') ? throttled : 'pass',
  );
  const { key, workspaceid } = caller;
  const answered = (await call('listRegistryRows', { key, query: { workspaceid } })).status;
  await drill.waitLonger(4);
  const seen = [
    `A request is answered ${answered}, as usual.`,
    `Messages in the dead-letter queue of the audit trail: ${await drill.messages('AuditDeadLetterQueue')}. Records of the request in the trail: ${await trailLength(caller)}.`,
  ];
  drill.mend();
  const QueueUrl = drill.host.outputs.AuditDeadLetterQueueUrl;
  for (const { Body, ReceiptHandle } of await receive(drill, QueueUrl)) {
    const { requestPayload } = z.object({ requestPayload: z.unknown() }).parse(JSON.parse(Body));
    await drill.host.invoke(drill.host.outputs.AuditRecorderName ?? '', requestPayload);
    await drill.host.invoke(drill.host.outputs.AuditRecorderName ?? '', requestPayload);
    await awsJson(drill.host.endpoints.sqs, 'AmazonSQS.DeleteMessage', { QueueUrl, ReceiptHandle });
  }
  return {
    fault: 'DynamoDB refuses the writes of the audit trail.',
    seen,
    cure: 'DynamoDB takes writes again, and the message is delivered to `RecordAudit` as in step 2, and once more.',
    after: [
      `Records of the request in the trail: ${await trailLength(caller)}. Messages in the queue: ${await drill.messages('AuditDeadLetterQueue')}.`,
    ],
  };
}

async function invalidRecord(drill: DrillHost): Promise<Transcript> {
  const recorder = drill.host.outputs.AuditRecorderName ?? '';
  await drill.host.invoke(recorder, linesEvent(['{"audit":{"requestid":7}}']));
  const seen = [
    `The metric \`AuditLost\` is ${drill.metric('AuditLost')}.`,
    `The log of \`RecordAudit\` has ${quoteLog(drill, /audit record lost/)}.`,
  ];
  const caller = await newCaller();
  await call('listRegistryRows', { key: caller.key, query: { workspaceid: caller.workspaceid } });
  await drill.waitLonger();
  return {
    fault: 'A function prints a line of the audit trail in a form that `RecordAudit` does not know.',
    seen,
    cure: 'The function prints the known form again, as after a deployment from one commit.',
    after: [`Records of a request in the trail: ${await trailLength(caller)}.`],
  };
}

async function unreachableDynamoDb(drill: DrillHost): Promise<Transcript> {
  const agent = await liveAgent({ flow: flow() });
  drill.breakDynamoDb(() => failing);
  const seen = [
    `A trigger is answered ${await trigger(agent)}.`,
    `The log has ${quoteLog(drill, /dependency_unavailable/)}.`,
  ];
  drill.mend();
  return {
    fault: 'DynamoDB answers every call with an internal error.',
    seen,
    cure: 'It works again. Nothing else is done.',
    after: [`The same trigger is answered ${await trigger(agent)}.`],
  };
}

const toItem = ({ orgid, trigger_id }: { orgid: string; trigger_id: string }) => ({
  pk: `TRIGGER#${orgid}#${trigger_id}`,
  sk: 'META',
});

/** As if so much time had passed since the schedule was due. */
async function makeDue(
  made: { orgid: string; trigger_id: string },
  agoMs: number,
  more = '',
): Promise<string> {
  const due = new Date(Date.now() - agoMs).toISOString();
  await updateItem(controlTable, toItem(made), {
    UpdateExpression: `SET next_due = :due, gsi2sk = :position ${more}`,
    ExpressionAttributeValues: { ':due': due, ':position': `${due}#${made.orgid}#${made.trigger_id}` },
  });
  return due;
}

async function invalidTrigger(drill: DrillHost): Promise<Transcript> {
  const scheduled = async () => {
    const agent = await liveAgent({ flow: flow() });
    return { agent, made: await newTrigger(agent, { kind: 'schedule', schedule: { rate: '1 day' } }) };
  };
  const [bad, good] = [await scheduled(), await scheduled()];
  const dues = [await makeDue(bad.made, 1_000, 'REMOVE flowid'), await makeDue(good.made, 1_000)];
  await drill.host.tick();
  await drill.waitLonger();
  const seen = [
    `The function fails, which Lambda counts: ${quoteLog(drill, /schedules were not run/)}.`,
    `The log of \`FireDue\` has ${quoteLog(drill, /a schedule could not be run/)}, with the id of the trigger. Runs of the other: ${await runCount(good.agent)}.`,
  ];
  await updateItem(controlTable, toItem(bad.made), { UpdateExpression: 'REMOVE gsi2pk, gsi2sk' });
  await drill.begin();
  await makeDue(good.made, 1_000);
  await drill.host.tick();
  await drill.waitLonger();
  return {
    fault: `${dues.length} schedules are due, and the item of one of them is invalid.`,
    seen,
    cure: 'The trigger of the log line is taken out of the index of due schedules as in step 2.',
    after: [
      `The function ${drill.logged(/schedules were not run/) ? 'fails again' : 'does not fail any more'}. Runs of the other, which was due once more: ${await runCount(good.agent)}.`,
    ],
  };
}

async function lateSchedule(drill: DrillHost): Promise<Transcript> {
  const agent = await liveAgent({ flow: flow() });
  const made = await newTrigger(agent, { kind: 'schedule', schedule: { rate: '1 day' } });
  const due = await makeDue(made, 60 * 60_000);
  await drill.host.tick();
  await drill.waitLonger();
  const params = { trigger_id: made.trigger_id };
  const { last_skipped } = (await call('nextRuns', { key: agent.key, params })).body;
  const seen = [
    `The metric \`SchedulesSkipped\` is ${drill.metric('SchedulesSkipped')}. Runs of the flow: ${await runCount(agent)}.`,
    `\`last_skipped\` of its next runs ${last_skipped?.from === due ? 'begins with the time that it was due' : 'is another time'}.`,
  ];
  const body = { flowid: agent.flowid, schedule: { rate: '1 day', missed: 'run_once' } };
  await call('updateTrigger', { key: agent.key, params, body });
  await makeDue(made, 60 * 60_000);
  await drill.host.tick();
  await drill.waitLonger();
  return {
    fault: 'No clock has called the function for an hour in which a schedule was due.',
    seen,
    cure: 'The owner sets `missed: run_once`, and the same happens again.',
    after: [`Runs of the flow: ${await runCount(agent)}.`],
  };
}

async function exhaustedBudget(drill: DrillHost): Promise<Transcript> {
  const agent = await liveAgent({ flow: flow() });
  const limit = async (monthly_limit: number) =>
    await call('setBudget', { key: agent.key, body: { monthly_limit } });
  await limit(0);
  const answer = await trigger(agent);
  const seen = [`A trigger is answered ${answer}. \`BudgetStops\` is ${drill.metric('BudgetStops')}.`];
  await limit(1);
  return {
    fault: 'The budget of an organisation is exhausted.',
    seen,
    cure: 'An owner raises it.',
    after: [`The same trigger is answered ${await trigger(agent)}.`],
  };
}

async function throttledWrites(drill: DrillHost): Promise<Transcript> {
  const agent = await liveAgent({ flow: flow() });
  drill.breakDynamoDb((operation) => (/Put|Update|Write/.test(operation) ? throttled : 'pass'));
  const seen = [
    `A trigger is answered ${await trigger(agent)}.`,
    `The log has ${quoteLog(drill, /dependency_unavailable/)}.`,
  ];
  drill.mend();
  return {
    fault: 'DynamoDB throttles all writes.',
    seen,
    cure: 'It takes writes again, as when the table has scaled. Nothing else is done.',
    after: [`The same trigger is answered ${await trigger(agent)}.`],
  };
}

const failing = { status: 500, error: { __type: 'InternalServerError', message: 'Internal server error' } };
const throttled = {
  status: 400,
  error: { __type: 'ProvisionedThroughputExceededException', message: 'Rate exceeded' },
};

async function sendEvent(agent: TestAgent) {
  const message = webhookMessage(agent);
  await deliver(JSON.stringify(message));
  return message;
}

async function onlyLetter({ key, workspaceid }: TestCaller) {
  const { items } = (await call('listDeadLetters', { key, query: { workspaceid } })).body;
  const [letter] = items;
  if (!letter || items.length > 1) throw new Error(`The workspace has ${items.length} dead letters.`);
  return letter;
}

async function runCount({ key, workspaceid, flowid }: TestAgent): Promise<number> {
  return (await call('listRuns', { key, query: { workspaceid, flowid } })).body.items.length;
}

async function trailLength({ key, workspaceid }: TestCaller): Promise<number> {
  const { items } = (await call('listAudit', { key, query: { workspaceid } })).body;
  return items.filter(({ operation }) => operation === 'registry/list').length;
}

const execute = promisify(execFile);

/** What the command of operators prints, line by line. */
async function dlq({ host }: DrillHost, command: 'list' | 'redrive'): Promise<string[]> {
  const { RunsTableName = '', RunQueueUrl = '', FlowKeyId = '' } = host.outputs;
  const where = ['--runs-table', RunsTableName];
  const more = ['--run-queue', RunQueueUrl, '--flow-key', FlowKeyId, '--tenant', 'drills'];
  const args = ['bin/dlq.ts', command, ...where, ...(command === 'redrive' ? more : [])];
  const { stdout } = await execute(process.execPath, args, { env: { ...process.env, ...host.environment } });
  return stdout.trim().split('\n');
}

const lineCount = (lines: readonly string[]): string =>
  `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`;

const message = z.object({ Body: z.string(), ReceiptHandle: z.string() });

async function receive({ host }: DrillHost, QueueUrl: string | undefined) {
  const asked = { QueueUrl, MaxNumberOfMessages: 10 };
  const { Messages } = await awsJson(host.endpoints.sqs, 'AmazonSQS.ReceiveMessage', asked);
  return z.array(message).default([]).parse(Messages);
}

/** As *Start DLQ redrive* does. */
async function moveMessages(drill: DrillHost, from: string, to: string): Promise<void> {
  const { endpoints, queues } = drill.host;
  const urlOf = (name: string) => Object.entries(queues).find(([id]) => id.startsWith(name))?.[1].url;
  for (const { Body, ReceiptHandle } of await receive(drill, urlOf(from))) {
    await awsJson(endpoints.sqs, 'AmazonSQS.SendMessage', { QueueUrl: urlOf(to), MessageBody: Body });
    await awsJson(endpoints.sqs, 'AmazonSQS.DeleteMessage', { QueueUrl: urlOf(from), ReceiptHandle });
  }
}

const logLine = z.object({ message: z.string(), reason: z.string().optional(), code: z.string().optional() });

/** Message, code and reason of a line, without what differs each time. */
function quoteLog(drill: DrillHost, pattern: RegExp): string {
  const line = drill.logged(pattern);
  if (line === undefined) return 'no such line';
  if (!line.startsWith('{')) return `\`${nameless(line.split('\n')[0] ?? '')}\``;
  const { message: text, code, reason } = logLine.parse(JSON.parse(line));
  const parts = [text, code, reason && nameless(reason)].filter((part) => part !== undefined);
  return parts.map((part) => `\`${part}\``).join(', ');
}

/** Ids and addresses are others each time. */
const nameless = (text: string, flowid = 'flow_'): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(flowid, '{flowid}')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:{port}');
