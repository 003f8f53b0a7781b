// What an editor shows beside the fields of nodes, by type. What they mean in full is in docs/flows.md.
import { limits } from '../format/limits.ts';
import {
  contentWords,
  modelWords,
  type PartWords,
  requestWords,
  timeoutWords,
  type Word,
  type Words,
} from './describe.ts';

const labels = {
  title: 'Name of the node for people.',
  ui: 'Anything that an editor keeps with the node; the engine does not read it.',
};

const pausing = {
  ...labels,
  assign: 'Variables of the state that are set after the node has run, by name; they may use its output.',
  catch: 'Where to go on after an error, tried in order when no attempt is left.',
  max_visits: 'How often the cursor may enter the node; one visit more ends the run with `limit.visits`.',
};

const every = { ...pausing, retry: 'Runs the node again after an error.', timeout_seconds: timeoutWords };

const onward = { next: 'Id of the node that follows; without it the scope or the run ends here.' };

type Fields = Readonly<Record<string, Word>>;

/** The type itself is told in the words of its node. */
const node = (type: string, about: string, fields: Fields): PartWords => ({
  title: `Node of type ${type}`,
  about,
  fields: { type: about, ...fields },
});

export const nodeWords: Words = {
  llm_node: node('llm', 'One turn of a model; gives its text, or the object of `output_schema`.', {
    ...every,
    ...onward,
    ...modelWords,
    prompt: 'One message of the user; template. Either this or `messages`.',
    messages: 'The conversation so far, instead of `prompt`.',
    system: 'Instructions for the model; template. Text from outside belongs in `prompt`.',
    stream: 'Shows the text to the caller while it is written; not with `output_schema`.',
  }),
  agent_node: node(
    'agent',
    'A model that works with tools until it answers; gives `{text, data, captured, turns}`.',
    {
      ...every,
      ...onward,
      ...modelWords,
      instructions: 'What the agent is to do: its system prompt; template.',
      input: 'What the conversation begins with; template. Without it `input.message`.',
      tools: 'What the agent may use.',
      agents: 'Agents inside this one that it can hand work to; each is a tool that takes a `message`.',
      capture: 'Values that the model hands over, by name; each becomes a variable of the state.',
      max_turns: {
        description: 'How many turns of the model are made at most; one more is `agent.max_turns`.',
        default: limits.agentTurnsDefault,
      },
      stream: 'Shows the text of the turns to the caller while it is written; not with `output_schema`.',
    },
  ),
  http_node: node(
    'http',
    'One HTTP request; gives `{status, headers, body}`, and anything but 2xx is an error.',
    {
      ...every,
      ...onward,
      ...requestWords,
    },
  ),
  mcp_node: node('mcp', 'One tool of a remote MCP server; gives what the tool gives.', {
    ...every,
    ...onward,
    server: {
      description: 'URL of the MCP server; literal, and its host is in `egress`.',
      examples: ['https://tools.example.com/mcp'],
    },
    tool: 'Name of the tool; literal.',
    arguments: 'Arguments of the tool: an object with templates, or one expression that gives one.',
    connection: 'Name of the connection whose credential the server gets.',
  }),
  a2a_node: node(
    'a2a',
    'Sends a message to another agent and waits for its answer; gives `{text, data, task_id, context_id, state}`.',
    {
      ...every,
      ...onward,
      agent:
        'The agent: a registry id, or a URL whose host is in `egress`; literal. Either this or `discover`.',
      discover: 'Filters that find the agent, instead of `agent`; the best match is called.',
      message: 'Text of the message; template. This, `data` or both.',
      data: 'Data of the message: any JSON value with templates.',
      connection: 'Name of the connection whose credential the agent gets.',
    },
  ),
  flow_node: node('flow', 'Runs the live build of another flow of the workspace; gives its response.', {
    ...every,
    ...onward,
    flowid: { description: 'The flow that is run; literal.', examples: ['order-status'] },
    message: 'Its message; template.',
    user_variables: 'Its variables: an object with templates, or one expression that gives one.',
    stream: 'Passes text on to the caller that the nodes of that flow show while it is written.',
  }),
  transform_node: node('transform', 'Computes a value, without side effects.', {
    ...every,
    ...onward,
    output: 'Any JSON value with templates; it becomes the output.',
  }),
  switch_node: node('switch', 'Goes to the first case that is true, else to the default.', {
    ...every,
    cases: 'Conditions in order, and where each leads.',
    default: 'Id of the node to go to when no case matches.',
  }),
  parallel_node: node('parallel', 'Runs branches beside each other; gives what they gave, by name.', {
    ...every,
    ...onward,
    branches: 'The branches by name, each a scope with nodes of its own.',
    join: {
      description:
        'Waits for `all`, for the `first` that succeeds, or until all are `settled`, failed or not.',
      default: 'all',
    },
  }),
  map_node: node('map', 'Runs its body once for each item of a list; gives what they gave, in order.', {
    ...every,
    ...onward,
    items: {
      description: `One expression that gives a list, or a list with templates; at most ${limits.mapItemsMax} items.`,
      examples: ['{{ input.user_variables.documents }}'],
    },
    body: 'What runs for each item: a scope whose nodes see `item` and `index`.',
    max_concurrency: {
      description: 'How many items are under way at once.',
      default: limits.concurrencyDefault,
    },
    on_error: {
      description:
        'After an error the node fails (`fail`), gives the error (`collect`) or leaves the item out (`skip`).',
      default: 'fail',
    },
  }),
  ask_node: node(
    'ask',
    'Puts a question to whoever started the run, and waits for the answer, which it gives.',
    {
      ...pausing,
      ...onward,
      prompt: 'The question; template.',
      schema: 'JSON Schema of the answer; one that does not fit is refused, and the question still stands.',
      choices: 'Answers to choose from: texts with templates, or one expression that gives a list of texts.',
      timeout_seconds: 'How many seconds the question stands, up to 30 days; for good without it.',
      on_timeout: 'Id of the node to go to when nobody has answered by then; without it the node fails.',
    },
  ),
  wait_node: node('wait', 'Goes on after a time, which may be days; gives `{until}`.', {
    ...pausing,
    ...onward,
    seconds: 'How many seconds to wait: a number, or one expression that gives one. Either this or `until`.',
    until: {
      description: 'The time to wait for, with its offset; template. Instead of `seconds`.',
      examples: ['2027-01-31T09:00:00Z'],
    },
  }),
  reply_node: node('reply', 'Says something to the caller while the run goes on; gives what was said.', {
    ...every,
    ...onward,
    ...contentWords,
    artifact: 'Makes what is said an output of the run, whole or in chunks.',
  }),
  fail_node: node('fail', 'Ends the run, or its scope, as failed.', {
    ...labels,
    message: 'Why; template.',
    code: {
      description: 'The code of the error is `fail.<code>`; without it `fail`.',
      examples: ['order_too_old'],
    },
  }),
  end_node: node('end', 'Ends the run; its output is the response.', {
    ...every,
    output: 'The response: an object with templates, or one expression that gives one.',
    as: { description: 'How callers over A2A are answered.', default: 'task' },
    artifacts: 'Outputs beside the response; only of a task.',
  }),
};
