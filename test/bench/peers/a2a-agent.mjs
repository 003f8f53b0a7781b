// An agent of the official A2A SDK with express: an answer to each message, a check of the credential, and tasks in a
// store. Plain JavaScript, because its packages are installed for the bench alone and the type check must do without
// them.
import { TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler } from '@a2a-js/sdk/server';
import { jsonRpcHandler } from '@a2a-js/sdk/server/express';
import express from 'express';

/**
 * The express application. `authenticate` throws for headers without a valid key, `answer` is the work of the agent,
 * `tables` has the method `send` of a document client of DynamoDB, which takes the `commands`.
 */
export function createAgent({ authenticate, answer, tables, commands: { GetCommand, PutCommand } }) {
  const TableName = 'tasks';
  const keyOf = (id) => ({ pk: `TASK#${id}`, sk: 'TASK' });
  const taskStore = {
    load: async (id) => (await tables.send(new GetCommand({ TableName, Key: keyOf(id) }))).Item?.task,
    save: async (task) => {
      await tables.send(new PutCommand({ TableName, Item: { ...keyOf(task.id), task } }));
    },
    list: async () => {
      throw new Error('The bench lists no tasks.');
    },
  };
  const requestHandler = new DefaultRequestHandler(card, taskStore, new Executor(answer));
  const userBuilder = async (request) => {
    const { id } = await authenticate(request.headersDistinct);
    return { isAuthenticated: true, userName: id };
  };
  const app = express();
  app.disable('x-powered-by');
  app.use('/a2a', jsonRpcHandler({ requestHandler, userBuilder }));
  return app;
}

const part = (value) => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
});

/** The events of the SDK's sample agent, without those that only say that work goes on. */
class Executor {
  constructor(answer) {
    this.answer = answer;
  }

  async execute({ taskId, contextId, userMessage }, bus) {
    const status = (state) => ({ state, message: undefined, timestamp: new Date().toISOString() });
    bus.publish(
      AgentEvent.task({
        id: taskId,
        contextId,
        status: status(TaskState.TASK_STATE_WORKING),
        artifacts: [],
        history: [userMessage],
        metadata: undefined,
      }),
    );
    const text = userMessage.parts.map(({ content }) => content.value).join('\n');
    const artifact = {
      artifactId: 'response',
      name: 'response',
      description: '',
      parts: [part(await this.answer(text))],
      metadata: undefined,
      extensions: [],
    };
    bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, artifact, append: false, lastChunk: true, metadata: undefined }));
    bus.publish(
      AgentEvent.statusUpdate({ taskId, contextId, status: status(TaskState.TASK_STATE_COMPLETED), metadata: undefined }),
    );
    bus.finished();
  }

  async cancelTask() {}
}

const card = {
  name: 'Echo',
  description: 'Says what it hears.',
  supportedInterfaces: [{ url: 'http://127.0.0.1/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
  provider: undefined,
  version: '1',
  capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
  signatures: [],
};
