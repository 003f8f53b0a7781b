// The suite's tools that ask for input by multi-round-trip requests (MCP 2026-07-28). Their state is sealed as that of
// `call_agent` is.
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { createStateCodec } from '#lib/connector/request-state.ts';
import type { Request } from '#lib/http/request.ts';

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });
const elicit = (message: string, schema: z.ZodObject) =>
  inputRequired.elicit({ message, requestedSchema: schema });
const sample = (said: string) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: said } }],
    maxTokens: 100,
  });

const named = z.object({ name: z.string() });
const askName = () => elicit('What is your name?', named);

type Context = Pick<ServerContext, 'mcpReq'>;
const readName = ({ mcpReq }: Context, key: string) =>
  acceptedContent(mcpReq.inputResponses, key, named)?.name;
const hasAnswer = ({ mcpReq }: Context, key: string) =>
  inputResponse(mcpReq.inputResponses, key).kind !== 'missing';

export function addInputTools(server: McpServer, { caller }: Request): void {
  const add = (name: string, call: (context: ServerContext) => object | Promise<object>) =>
    server.registerTool(
      name,
      { description: 'Asks for input.', inputSchema: z.object({}) },
      async (_args, context) => (await call(context)) as ReturnType<typeof text>,
    );
  const seal = async (step: string, { mcpReq }: Context) =>
    await (await createStateCodec(caller)).mint({ registry_id: '', task_id: step }, { mcpReq });

  for (const tool of ['test_input_required_result_elicitation', 'test_streaming_elicitation'])
    add(tool, (context) => {
      const name = readName(context, 'user_name');
      return name === undefined
        ? inputRequired({ inputRequests: { user_name: askName() } })
        : text(`Hello, ${name}!`);
    });
  add('test_input_required_result_sampling', (context) =>
    hasAnswer(context, 'capital_question')
      ? text(JSON.stringify(context.mcpReq.inputResponses))
      : inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?') } }),
  );
  add('test_input_required_result_list_roots', (context) =>
    hasAnswer(context, 'client_roots')
      ? text(JSON.stringify(context.mcpReq.inputResponses))
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } }),
  );
  addCapabilityTool(add);
  const confirm = () => elicit('Please confirm', z.object({ ok: z.boolean() }));
  for (const tool of [
    'test_input_required_result_request_state',
    'test_input_required_result_tampered_state',
  ])
    add(tool, async (context) =>
      context.mcpReq.requestState()
        ? text('state-ok')
        : inputRequired({ inputRequests: { confirm: confirm() }, requestState: await seal('1', context) }),
    );
  add('test_input_required_result_multiple_inputs', async (context) =>
    ['user_name', 'greeting', 'client_roots'].every((key) => hasAnswer(context, key))
      ? text('All answered.')
      : inputRequired({
          inputRequests: {
            user_name: askName(),
            greeting: sample('Generate a greeting'),
            client_roots: inputRequired.listRoots(),
          },
          requestState: await seal('1', context),
        }),
  );
  add('test_input_required_result_multi_round', async (context) => {
    if (hasAnswer(context, 'step2')) return text('Done.');
    const next = hasAnswer(context, 'step1') ? 'step2' : 'step1';
    const color = z.object({ color: z.string() });
    const asked =
      next === 'step1'
        ? elicit('Step 1: What is your name?', named)
        : elicit('Step 2: What is your favorite color?', color);
    return inputRequired({ inputRequests: { [next]: asked }, requestState: await seal(next, context) });
  });
}

/** Only what the client declares it can answer. */
function addCapabilityTool(add: (name: string, call: (context: ServerContext) => object) => unknown): void {
  add('test_input_required_result_capabilities', ({ mcpReq }) => {
    const declared = z
      .looseObject({})
      .catch({})
      .parse(Reflect.get(mcpReq.envelope ?? {}, CLIENT_CAPABILITIES_META_KEY));
    const inputRequests = {
      ...('sampling' in declared && { greeting: sample('Generate a greeting') }),
      ...('elicitation' in declared && { user_name: askName() }),
    };
    return Object.keys(inputRequests).length > 0 ? inputRequired({ inputRequests }) : text('Nothing to ask.');
  });
}
