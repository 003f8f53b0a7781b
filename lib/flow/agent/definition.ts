// An agent as a flow declares it: its tools, its child agents, and what it captures from the conversation.
// Schemas only; further checks are in `check.ts`.
import * as z from 'zod';
import { flowid } from '#lib/ids.ts';
import { lazy } from '#lib/lazy.ts';
import { limits } from '../format/limits.ts';
import { assignments, jsonSchema, stateName } from '../format/node-fields.ts';
import { named } from '../format/notes.ts';
import { conversationField } from '../nodes/conversation-field.ts';
import { filesField } from '../nodes/files-field.ts';
import { guardrailsField } from '../nodes/guardrails-field.ts';
import { answerFields, modelField, settingFields } from '../nodes/model-settings.ts';
import { agentFilter, contextId, extensions, verify } from '../nodes/remote-agent.ts';
import { agentAddress, fixedUrl } from '../nodes/url-field.ts';
import { knowledge } from './knowledge.ts';
import { toolRequest } from './tool-request.ts';

/** The form that providers of models accept. */
const toolName = () =>
  z
    .string()
    .regex(
      /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/,
      'expected a name: a letter, then up to 63 letters, digits, _ and -',
    );

const description = () => z.string().min(1).max(limits.toolDescriptionChars);

const timeout = () => z.number().positive().max(limits.nodeSecondsMax).optional();

const questions = () =>
  named(
    'agent_questions',
    z
      .strictObject({
        schema: jsonSchema()
          .optional()
          .meta({ description: 'JSON Schema of every answer; by default an answer is a text.' }),
        choices: z.array(z.string().min(1).max(256)).min(1).max(limits.choicesMax).optional().meta({
          description: 'The answers to choose from; by default the model may propose some with its question.',
        }),
        max_questions: z.int().min(1).max(limits.agentQuestionsMax).optional().meta({
          description: 'Most questions of one conversation; one more is an error that the model gets.',
          default: limits.agentQuestionsDefault,
        }),
      })
      .meta({
        title: 'Questions of an agent',
        description: 'What the model may ask the caller of the run, and what an answer is.',
      }),
  );

const progress = () =>
  named(
    'agent_progress',
    z
      .strictObject({
        as: z.enum(['status', 'message']).optional().meta({
          description:
            'What callers over A2A see: what the run does at the moment, or a message of the conversation.',
          default: 'status',
        }),
      })
      .meta({
        title: 'Progress of an agent',
        description: 'What the model sends to the caller of the run while it works.',
      }),
  );

const ends = () =>
  z.boolean().optional().meta({
    description: 'Whether the agent ends with the result of the tool as its own.',
    default: false,
  });

/** How the tool is used, and what follows from its result. */
const useFields = () => ({
  approval: z
    .enum(['never', 'always'])
    .optional()
    .meta({ description: 'Whether a person must approve each use.', default: 'never' }),
  ends: ends(),
  assign: assignments().optional().meta({
    description:
      'Variables of the state and of `captured`, by name; their templates read `result` and `args`.',
  }),
  timeout_seconds: timeout().meta({
    description: 'Seconds that one use may take, at most those of the node.',
  }),
});

/** One of the kinds, with the fields of that kind. */
export const tool = /* @__PURE__ */ lazy(() =>
  z
    .strictObject({
      http: toolRequest().optional().meta({
        description: 'Request that the model may send; templates read the arguments of the model as `args`.',
      }),
      mcp: fixedUrl()
        .optional()
        .meta({ description: 'URL of an MCP server: all its tools, or those that `tools` names.' }),
      flow: flowid.optional().meta({ description: 'A flow of the workspace that the model may run.' }),
      a2a: agentAddress()
        .optional()
        .meta({ description: 'An agent that the model may send a message to: a registry id or a URL.' }),
      discover: agentFilter().optional().meta({
        description: 'Filters: the model chooses among the agents found when the conversation begins.',
      }),
      knowledge: knowledge().optional().meta({
        description: 'Lets the model search documents for passages, which its answer can cite.',
      }),
      ask_user: questions().optional().meta({
        description: 'Lets the model ask the caller of the run a question and wait for the answer.',
      }),
      say: progress().optional().meta({
        description: 'Lets the model tell the caller of the run what it does while it works.',
      }),
      name: toolName().optional().meta({
        description: 'Name of the tool for the model; with `mcp`, prefix of the names of its tools.',
      }),
      description: description().optional().meta({ description: 'Description of the tool for the model.' }),
      parameters: jsonSchema()
        .optional()
        .meta({ description: 'JSON Schema of the arguments, an object that the model fills in.' }),
      tools: z
        .array(z.string().min(1).max(256))
        .min(1)
        .max(limits.agentToolsMax)
        .optional()
        .meta({ description: 'Names of the tools of the server that the agent may use; defaults to all.' }),
      optional: z.boolean().optional().meta({
        description: 'Whether the agent works without the tools of the server while it cannot be used.',
        default: false,
      }),
      connection: z
        .string()
        .optional()
        .meta({ description: 'Name of the connection whose credential is sent to the server or the agent.' }),
      context_id: contextId(),
      verify: verify(),
      extensions: extensions(),
      ...useFields(),
    })
    .meta({
      title: 'Tool of an agent',
      description:
        'What an agent may use: exactly one of `http`, `mcp`, `flow`, `a2a`, `discover`, `knowledge`, `ask_user` and `say`.',
    }),
);

export type ToolFields = z.infer<ReturnType<typeof tool>>;
export const toolKindNames = [
  'http',
  'mcp',
  'flow',
  'a2a',
  'discover',
  'knowledge',
  'ask_user',
  'say',
] as const;
export type ToolKind = (typeof toolKindNames)[number];

interface KindFields {
  readonly needs: readonly (keyof ToolFields)[];
  readonly takes: readonly (keyof ToolFields)[];
}

/** Fields of every tool that calls something. */
const everyCall = ['approval', 'timeout_seconds', 'ends', 'assign'] as const;

/** Further fields of each kind. */
export const toolKinds: Readonly<Record<ToolKind, KindFields>> = {
  http: { needs: ['name', 'description'], takes: ['parameters', ...everyCall] },
  mcp: { needs: [], takes: ['name', 'tools', 'connection', 'optional', ...everyCall] },
  flow: { needs: ['name', 'description'], takes: ['parameters', ...everyCall] },
  a2a: {
    needs: ['name', 'description'],
    takes: ['connection', 'context_id', 'verify', 'extensions', ...everyCall],
  },
  discover: { needs: ['name', 'description'], takes: ['connection', 'context_id', ...everyCall] },
  knowledge: { needs: ['name', 'description'], takes: [...everyCall] },
  ask_user: { needs: [], takes: ['name', 'description', 'assign'] },
  say: { needs: [], takes: ['name', 'description'] },
};

/** The names of tools that have none of their own. */
export const askUserName = 'ask_user';
export const sayName = 'say';

export const findKinds = (fields: ToolFields): readonly ToolKind[] =>
  toolKindNames.filter((kind) => fields[kind] !== undefined);

/** The name that the model sees; undefined for the tools of a server, whose `name` is a prefix. */
export const findToolName = ({ name, mcp, ask_user, say }: ToolFields): string | undefined => {
  if (mcp !== undefined) return undefined;
  return name ?? (ask_user ? askUserName : say && sayName);
};

const namedTool = /* @__PURE__ */ lazy(() =>
  named(
    'tool_choice',
    z
      .strictObject({
        tool: z.string().min(1).max(64).meta({ description: 'Name of the tool, as the model sees it.' }),
      })
      .meta({ title: 'Chosen tool', description: 'The tool that the first turn of an agent must use.' }),
  ),
);

const toolChoice = () =>
  z.union(
    [z.enum(['auto', 'required', 'none']), namedTool()],
    'expected "auto", "required", "none" or {"tool": "<name>"}',
  );

const loopFields = () => ({
  instructions: z
    .string()
    .min(1)
    .meta({ description: 'What the agent is to do: its system prompt; template.' }),
  model: modelField(),
  tools: z
    .array(tool())
    .min(1)
    .max(limits.agentToolsMax)
    .optional()
    .meta({ description: 'Tools that the agent may use.' }),
  max_turns: z.int().min(1).max(limits.agentTurnsMax).optional().meta({
    description: 'Most calls of the model; `on_max_turns` says what follows.',
    default: limits.agentTurnsDefault,
  }),
  on_max_turns: z.enum(['fail', 'answer']).optional().meta({
    description:
      'After `max_turns` without an answer: the error `agent.max_turns`, or one more turn in which the model must answer.',
    default: 'fail',
  }),
  tool_choice: toolChoice().optional().meta({
    description:
      'Whether the first turn uses a tool: as the model likes, any (`required`), `none`, or the one that is named.',
    default: 'auto',
  }),
});

const child = () =>
  named(
    'child_agent',
    z
      .strictObject({
        name: toolName().meta({ description: 'Name by which the agent calls it.' }),
        description: description().meta({
          description: 'Description of the agent for the agent that delegates to it.',
        }),
        timeout_seconds: timeout().meta({
          description: 'Seconds that one use of it may take, at most those of the node.',
        }),
        ends: ends(),
        ...loopFields(),
      })
      .meta({
        title: 'Agent inside an agent',
        description: 'An agent that this one can delegate work to, in a conversation of its own.',
      }),
  );
export type ChildFields = z.infer<ReturnType<typeof child>>;

const captured = () =>
  named(
    'captured',
    z
      .strictObject({
        description: description().meta({ description: 'Description of the value for the model.' }),
        schema: jsonSchema().meta({ description: 'JSON Schema of the value.' }),
      })
      .meta({ title: 'Captured value', description: 'A value that the model reports when it knows it.' }),
  );

export const agentFields = () => ({
  ...loopFields(),
  input: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'First message of the conversation; template. Defaults to `input.message`.' }),
  files: filesField(),
  conversation: conversationField(),
  guardrails: guardrailsField(),
  agents: z.array(child()).min(1).max(limits.childAgentsMax).optional().meta({
    description: 'Agents that this one can delegate work to; each is a tool that takes a `message`.',
  }),
  capture: z
    .record(stateName(), captured())
    .optional()
    .meta({ description: 'Values that the model reports, by name; each becomes a variable of the state.' }),
  ...answerFields(),
  ...settingFields(),
});

export type AgentFields = z.infer<z.ZodObject<ReturnType<typeof agentFields>>>;

/** The tool with which the model returns the values of `capture`. */
export const captureTool = 'capture';
