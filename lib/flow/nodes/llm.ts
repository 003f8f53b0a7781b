// `llm`: one turn of a model. Output: its text, or the object that `output_schema` describes.
import * as z from 'zod';
import type { Json } from '#lib/json.ts';
import { type Render, type RenderAt, template } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { preview } from '../log-preview.ts';
import { endsRun, NodeError } from '../node-error.ts';
import type { ModelAnswer, ModelMessage, ModelRequest } from '../ports.ts';
import { schemaFaults } from '../schema/validate.ts';
import type { NodeContext } from './node-context.ts';
import { type DeclaredModel, defineNode, everyNode, json, onward, type Surroundings } from './node-type.ts';

const message = z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string().min(1) });

const schema = z.strictObject({
  type: z.literal('llm'),
  ...everyNode,
  ...onward,
  prompt: z.string().min(1).optional(),
  messages: z.array(message).min(1).max(100).optional(),
  system: z.string().min(1).optional(),
  model: z.string().optional(),
  output_schema: z.record(z.string(), json).optional(),
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.int().min(1).max(1_000_000).optional(),
});

type LlmNode = z.infer<typeof schema>;

export const llm = defineNode({
  schema,
  templates: ['prompt', 'messages', 'system'],
  check: (node, around, report) => {
    if ((node.prompt === undefined) === (node.messages === undefined)) {
      report([], 'expected either `prompt` or `messages`');
    }
    if (node.model !== undefined && !Object.hasOwn(around.models, node.model)) {
      const known = Object.keys(around.models);
      const expected =
        known.length > 0 ? `one of ${known.join(', ')}` : 'no `model`, because the flow declares no `models`';
      report(['model'], `unknown model "${node.model}": expected ${expected}`);
    }
    for (const { path, detail } of around.schemaProblems(node.output_schema))
      report(['output_schema', ...path], detail);
  },
  prepare: (node, around) => {
    const choices = choicesOf(node, around);
    const messages = messagesOf(node);
    const system = node.system === undefined ? undefined : template(node.system);
    return async (context) => {
      const asked = { messages: await messages(context.at), system: await rendered(system, context.at) };
      const answer = await firstAnswer(choices, context, (choice) => requestOf(node, choice, asked));
      await checkAnswer(node, answer.output);
      return { output: answer.output, note: `${answer.model}: ${preview(answer.output)}` };
    };
  },
});

/** The model asked for, then its fallbacks in order, each once. Without a name the flow's `default`, else the tenant's. */
function choicesOf(node: LlmNode, { models }: Surroundings): readonly DeclaredModel[] {
  const choices: DeclaredModel[] = [];
  let name: string | undefined = node.model ?? 'default';
  const seen = new Set<string>();
  while (name !== undefined && !seen.has(name) && Object.hasOwn(models, name)) {
    seen.add(name);
    const choice: DeclaredModel | undefined = models[name];
    if (choice) choices.push(choice);
    name = choice?.fallback;
  }
  return choices.length > 0 ? choices : [{}];
}

async function firstAnswer(
  [choice = {}, ...rest]: readonly DeclaredModel[],
  context: NodeContext,
  request: (choice: DeclaredModel) => ModelRequest,
): Promise<ModelAnswer> {
  try {
    return await context.model(request(choice));
  } catch (error) {
    if (rest.length === 0 || !(error instanceof NodeError) || endsRun(error.code) || error.code === 'timeout')
      throw error;
    context.goingOn(`${error.code}: ${error.message} The fallback model is tried.`);
    return firstAnswer(rest, context, request);
  }
}

interface Asked {
  readonly messages: readonly ModelMessage[];
  readonly system: string | undefined;
}

function requestOf(node: LlmNode, choice: DeclaredModel, asked: Asked): ModelRequest {
  const { provider, model, base_url } = choice;
  const temperature = node.temperature ?? choice.temperature;
  const max_tokens = node.max_tokens ?? choice.max_tokens;
  return {
    model: { ...(provider && { provider }), ...(model && { model }), ...(base_url && { base_url }) },
    messages: asked.messages,
    ...(asked.system !== undefined && { system: asked.system }),
    ...(node.output_schema && { output_schema: node.output_schema }),
    ...(temperature !== undefined && { temperature }),
    ...(max_tokens !== undefined && { max_tokens }),
  };
}

function messagesOf(node: LlmNode): (at: RenderAt) => Promise<readonly ModelMessage[]> {
  const asked = node.messages ?? [{ role: 'user' as const, content: node.prompt ?? '' }];
  const parts = asked.map(({ role, content }) => ({ role, content: template(content) }));
  return async (at) => {
    const messages: ModelMessage[] = [];
    for (const { role, content } of parts) messages.push({ role, content: asText(await content(at)) });
    return messages;
  };
}

async function rendered(render: Render | undefined, at: RenderAt): Promise<string | undefined> {
  return render && asText(await render(at));
}

/** A provider promises the shape; the engine makes sure, because the nodes that follow rely on it. */
async function checkAnswer(node: LlmNode, output: Json): Promise<void> {
  if (!node.output_schema) return;
  const [fault] = await schemaFaults(node.output_schema, output);
  if (fault)
    throw new NodeError('model.invalid_output', `The model's answer does not fit output_schema: ${fault}.`);
}
