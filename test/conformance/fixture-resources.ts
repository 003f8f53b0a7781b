// The suite's resources and prompts.
import {
  acceptedContent,
  completable,
  inputRequired,
  type McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { pixel } from './fixture-media.ts';

export function addResources(server: McpServer): void {
  const add = (
    uri: string,
    mimeType: string,
    content: { readonly text: string } | { readonly blob: string },
  ) =>
    server.registerResource(uri.slice('test://'.length), uri, { mimeType }, () => ({
      contents: [{ uri, mimeType, ...content }],
    }));
  add('test://static-text', 'text/plain', { text: 'This is the content of the static text resource.' });
  add('test://static-binary', 'image/png', { blob: pixel });
  add('test://watched-resource', 'text/plain', { text: 'Watched.' });
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  const mimeType = 'application/json';
  server.registerResource('template', template, { mimeType }, ({ href: uri }, { id }) => ({
    contents: [
      { uri, mimeType, text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) },
    ],
  }));
  for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const)
    server.server.setRequestHandler(method, () => ({}));
}

const user = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } });
const words = completable(z.string(), () => ['first', 'second']);

const description = 'A prompt of the conformance suite.';

export function addPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description }, () => ({
    messages: [user('This is a simple prompt for testing.')],
  }));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description, argsSchema: z.object({ arg1: words, arg2: words }) },
    ({ arg1, arg2 }) => ({ messages: [user(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description, argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => ({
      messages: [
        {
          role: 'user',
          content: { type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'Embedded.' } },
        },
        user('Please process the embedded resource above.'),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description }, () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: pixel, mimeType: 'image/png' } },
      user('Please analyze the image above.'),
    ],
  }));
  server.registerPrompt('test_input_required_result_prompt', { description }, ({ mcpReq }) => {
    const answered = acceptedContent(
      mcpReq.inputResponses,
      'user_context',
      z.object({ context: z.string() }),
    );
    if (answered) return { messages: [user(`In the context of ${answered.context}.`)] };
    const requestedSchema = z.object({ context: z.string() });
    const message = 'What context should the prompt use?';
    return inputRequired({
      inputRequests: { user_context: inputRequired.elicit({ message, requestedSchema }) },
    });
  });
}
