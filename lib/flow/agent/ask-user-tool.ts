// `ask_user`: the model asks the caller of the run a question, and the run waits for the answer, which is the result of
// the tool.
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { Question } from '../engine/pause.ts';
import { asText } from '../expression/text.ts';
import { isList, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { askUserName, type ToolFields } from './definition.ts';
import { pausedTurn, type ToolEnd, type ToolSource } from './tool.ts';

export function askUserTool(
  { name = askUserName, description = describeTool }: ToolFields,
  own: NonNullable<ToolFields['ask_user']>,
): ToolSource {
  const { max_questions: max = limits.agentQuestionsDefault } = own;
  return () => [
    {
      declaration: { name, description, parameters: listParameters(own) },
      target: 'the caller',
      needsApproval: false,
      isForeign: false,
      run: async ({ args, key, findAnswer, takeQuestion, guard }): Promise<ToolEnd> => {
        const answer = findAnswer(key);
        if (answer !== undefined) {
          const heard = await guard('input', answer, key);
          return heard ? { status: 'completed', content: heard.value } : pausedTurn;
        }
        const asked = await guard('output', args.choices === undefined ? asText(args.question) : args, key);
        if (!asked) return pausedTurn;
        const said = isObject(asked.value) ? asked.value : { question: asked.value };
        if (takeQuestion(max)) return { status: 'paused', asked: { key, question: toQuestion(said, own) } };
        const content = `at most ${max} questions in one conversation: continue without the answer`;
        return { status: 'failed', content };
      },
    },
  ];
}

const describeTool =
  'Asks the user a question and waits for the answer. Ask only for what you need and cannot find out by yourself.';

type Options = NonNullable<ToolFields['ask_user']>;

/** The model proposes answers only if the flow does not say what an answer is. */
function listParameters({ schema, choices }: Options): JsonObject {
  const question = { type: 'string', minLength: 1, maxLength: limits.questionChars };
  const choice = { type: 'string', minLength: 1, maxLength: 200 };
  const proposed = {
    type: 'array',
    items: choice,
    minItems: 2,
    maxItems: 20,
    description: 'The answers to choose from. Leave them out if the user may answer anything.',
  };
  const isOpen = schema === undefined && choices === undefined;
  return {
    type: 'object',
    properties: { question, ...(isOpen && { choices: proposed }) },
    required: ['question'],
    additionalProperties: false,
  };
}

function toQuestion(args: JsonObject, { schema, choices = readTexts(args.choices) }: Options): Question {
  return {
    purpose: 'ask',
    prompt: asText(args.question),
    ...(schema && { schema }),
    ...(choices && { choices }),
  };
}

/** The arguments fit the parameters. */
const readTexts = (value: Json | undefined): string[] | undefined =>
  isList(value) ? value.map(asText) : undefined;
