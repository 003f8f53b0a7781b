// Calls the agent as any A2A client does: with the official SDK, starting from its Agent Card.
import { Role, type Task, type TaskState } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import { joinText, line, question, sent, showTask, stateName } from './print.ts';

export async function connect(cardUrl: string, apiKey: string): Promise<Client> {
  sent(`Agent Card ${cardUrl}`);
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('x-api-key', apiKey);
    return fetch(input, { ...init, headers });
  };
  const card = await new DefaultAgentCardResolver({ fetchImpl }).resolve(cardUrl, '');
  return await new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
  }).createFromAgentCard(card);
}

const message = () => ({
  messageId: crypto.randomUUID(),
  role: Role.ROLE_USER,
  parts: [
    {
      content: { $case: 'text', value: question } as const,
      metadata: undefined,
      filename: '',
      mediaType: 'text/plain',
    },
  ],
  contextId: '',
  taskId: '',
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});
const sending = () => ({ tenant: '', message: message(), configuration: undefined, metadata: undefined });

export async function ask(client: Client): Promise<Task> {
  sent(`SendMessage "${question}"`);
  const answer = await client.sendMessage(sending());
  if (!('artifacts' in answer)) throw new Error('The agent answered with a message instead of a task.');
  return answer;
}

/** Resolves to the name of the task's final state. */
export async function streamQuestion(client: Client): Promise<string> {
  sent(`SendStreamingMessage "${question}"`);
  let state: TaskState | undefined;
  for await (const { payload } of client.sendMessageStream(sending())) {
    if (payload?.$case === 'task') showTask(payload.value);
    if (payload?.$case === 'artifactUpdate')
      line(`artifact "${joinText(payload.value.artifact?.parts ?? [])}"`);
    if (payload?.$case !== 'statusUpdate') continue;
    state = payload.value.status?.state;
    line(`status ${stateName(state)}`);
  }
  return stateName(state);
}
