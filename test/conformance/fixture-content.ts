// The suite's tools whose results are of each kind, and those that notify. Their names and texts are those that the
// scenarios expect.
import {
  fromJsonSchema,
  type InMemoryServerEventBus,
  inputRequired,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { pixel, silence } from './fixture-media.ts';
import schemas from './fixture-schemas.json' with { type: 'json' };

const text = (said: string) => ({ type: 'text' as const, text: said });
const image = { type: 'image' as const, data: pixel, mimeType: 'image/png' };
const nothing = z.object({});

/** What each tool answers. */
const contents = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [{ type: 'audio' as const, data: silence, mimeType: 'audio/wav' }],
  test_embedded_resource: [resource('test://embedded-resource', 'text/plain', 'An embedded resource.')],
  test_multiple_content_types: [
    text('Several kinds of content:'),
    image,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
};

function resource(uri: string, mimeType: string, content: string) {
  return { type: 'resource' as const, resource: { uri, mimeType, text: content } };
}

export function addContent(server: McpServer, bus: InMemoryServerEventBus): void {
  for (const [name, content] of Object.entries(contents))
    server.registerTool(name, { description: 'Answers with content.' }, () => ({ content }));
  server.registerTool('test_error_handling', { description: 'Fails.' }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  addNotifyingTools(server);
  addSchemaTools(server);
  addChangingTools(server, bus);
  addClientTools(server);
}

function addNotifyingTools(server: McpServer): void {
  const config = { description: 'Notifies while it works.', inputSchema: nothing };
  server.registerTool('test_tool_with_logging', config, async (_args, { mcpReq }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
      await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } });
    return { content: [text('Logged.')] };
  });
  server.registerTool('test_logging_tool', config, async (_args, { mcpReq }) => {
    await mcpReq.log('info', 'A message for clients that want them.');
    return { content: [text('Logged.')] };
  });
  server.registerTool('test_tool_with_progress', config, async (_args, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100])
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        });
    return { content: [text(String(progressToken))] };
  });
}

/** JSON Schema 2020-12 with keywords that servers must pass on, and a parameter that is mirrored to a header. */
function addSchemaTools(server: McpServer): void {
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Has a schema with many keywords.', inputSchema: readSchema('keywords') },
    (args) => ({ content: [text(JSON.stringify(args))] }),
  );
  server.registerTool(
    'test_custom_headers',
    { description: 'Has a parameter that clients repeat in a header.', inputSchema: readSchema('header') },
    (args) => ({ content: [text(JSON.stringify(args))] }),
  );
}

const readSchema = (name: 'keywords' | 'header') =>
  fromJsonSchema<Record<string, unknown>>(z.looseObject({}).parse(schemas[name]));

/** They change nothing, and notify subscribers of a change. */
function addChangingTools(server: McpServer, bus: InMemoryServerEventBus): void {
  const changes = {
    test_trigger_tool_change: 'tools_list_changed',
    test_trigger_prompt_change: 'prompts_list_changed',
  } as const;
  for (const [name, kind] of Object.entries(changes))
    server.registerTool(name, { description: 'Notifies of a change.' }, () => {
      bus.publish({ kind });
      return { content: [text('Changed.')] };
    });
}

/** Shorter than any scenario waits: a client cannot answer a server that keeps no sessions. */
const answerTimeoutMs = 1_000;

const toMessage = (said: string) => ({
  role: 'user' as const,
  content: { type: 'text' as const, text: said },
});

/** They ask the client something within the call, as servers of the earlier revisions do. */
function addClientTools(server: McpServer): void {
  const ask = async (
    { mcpReq }: ServerContext,
    method: 'sampling/createMessage' | 'elicitation/create',
    params: object,
  ) => {
    const answer = await mcpReq.send({ method, params } as never, { timeout: answerTimeoutMs });
    return { content: [text(`The client answered: ${JSON.stringify(answer)}`)] };
  };
  server.registerTool(
    'test_sampling',
    { description: 'Asks the model of the client.', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, context) =>
      await ask(context, 'sampling/createMessage', { messages: [toMessage(prompt)], maxTokens: 100 }),
  );
  const forms = {
    test_elicitation: schemas.answer,
    test_elicitation_sep1034_defaults: schemas.defaults,
    test_elicitation_sep1330_enums: schemas.enums,
  };
  for (const [name, requestedSchema] of Object.entries(forms))
    server.registerTool(
      name,
      { description: 'Asks the user of the client.', inputSchema: z.looseObject({}) },
      async (_args, context) =>
        await ask(context, 'elicitation/create', { message: 'Please answer.', requestedSchema }),
    );
  // The SDK refuses what the client has not declared.
  server.registerTool('test_missing_capability', { description: 'Needs the model of the client.' }, () => {
    const greeting = inputRequired.createMessage({ messages: [toMessage('Hello')], maxTokens: 10 });
    return inputRequired({ inputRequests: { greeting } });
  });
}
