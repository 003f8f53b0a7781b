// What an editor shows beside the fields of a flow around its nodes, and of the parts that nodes are made of.
import { limits } from '../format/limits.ts';
import { contentWords, labelWords, modelWords, requestWords, type Words } from './describe.ts';

export const flowWords = {
  title: 'Flow v1',
  about: 'A flow: nodes, which of them comes after which, and what they may use.',
  fields: {
    version: 'The version of the format.',
    name: 'Name of the flow for people.',
    description: 'What the flow is for.',
    input: 'JSON Schema of `user_variables`; a run that does not fit ends with `input.invalid`.',
    output: 'JSON Schema of the response; one that does not fit ends the run with `output.invalid`.',
    state: 'Variables of the run by name, with their first values.',
    models: 'Models by name; `default` is meant by nodes that name none.',
    connections: 'Credentials that the flow wants, by name; their values are stored elsewhere.',
    egress: {
      description: 'Hosts that requests, MCP servers and agents may be on; `*.` means sub-domains.',
      examples: [['api.example.com', 'localhost:8080', '*.example.org']],
    },
    limits: 'What a run may use at most.',
    start: 'Id of the first node.',
    nodes: 'The nodes by id: a lower-case letter, then up to 63 of a-z, 0-9 and _.',
    tests: 'What the flow should do; `npm run flow -- test` and the service run them.',
    $schema: 'Where editors find this format; the service does not read it.',
  },
} as const;

export const partWords: Words = {
  model: {
    title: 'Model',
    about: 'A model of the tenant, or with `provider` one of that provider, with what to try when it fails.',
    fields: {
      provider: 'The kind of provider; without it `model` is a name that the tenant has configured.',
      model: 'Name of the model: that of the tenant, or of the provider.',
      base_url: 'Tells two providers of one kind apart.',
      temperature: 'How freely it writes, from 0 to 2, where a node does not say.',
      max_tokens: 'How many tokens an answer may have, where a node does not say.',
      reasoning: 'How much it thinks before it answers, where a node does not say.',
      fallback: 'Name of the model that is tried when a call fails with anything but a timeout.',
    },
  },
  connection: {
    title: 'Connection',
    about: 'A credential that the flow wants; its value is stored by an API call under the same name.',
    fields: {
      type: 'What the request carries: a bearer token, a header, a parameter, a password, or a token by OAuth.',
      scope: {
        description: 'Whose value it is: one for the workspace, or that of the caller who started the run.',
        default: 'organization',
      },
      label: 'What it is called where its value is asked for.',
      hosts: 'Hosts that the credential may go to.',
    },
  },
  limits: {
    title: 'Limits',
    about: 'What a run may use; who starts it may lower them further.',
    fields: {
      timeout_seconds: 'How many seconds a run may take, below what its trigger allows.',
      max_steps: { description: 'How many nodes a run may enter.', default: limits.stepsDefault },
      max_tokens: {
        description: 'How many tokens a run may use, of input and output.',
        default: limits.tokensDefault,
      },
      max_model_calls: {
        description: 'How often a run may call a model.',
        default: limits.modelCallsDefault,
      },
      max_depth: {
        description: 'How many flows and agents that call one another may stand in the chain.',
        default: limits.callDepthDefault,
      },
      max_tool_output_bytes: {
        description: 'How many bytes of what a tool gives back a model is shown.',
        default: limits.toolOutputBytesDefault,
      },
    },
  },
  test: {
    title: 'Test',
    about: 'One run without the network, and what must be true of how it ends.',
    fields: {
      name: 'Name of the test; without it its number.',
      input: 'What starts the run.',
      mocks:
        'What nodes give instead of running, by id; `{error: {code}}` makes one fail, `by_item` and `in_order` list several.',
      answers: 'Answers to what the flow asks, in order.',
      expect: {
        description: 'One expression that has to be true.',
        examples: ["{{ status = 'completed' }}"],
      },
    },
  },
  test_input: {
    title: 'Input of a test',
    about: 'What starts the run of a test.',
    fields: {
      message: 'The message.',
      user_variables: 'The variables by name, as `input.user_variables` has them.',
      event: 'What a webhook would bring.',
      a2a: 'What a message over A2A would bring.',
    },
  },
  test_event: {
    title: 'Event of a test',
    about: 'What a webhook would bring.',
    fields: { event: 'Name of the event.', data: 'Its data.' },
  },
  test_a2a: {
    title: 'A2A message of a test',
    about: 'What a message over A2A would bring.',
    fields: {
      message: 'The message as it came, with its `parts`.',
      messageId: 'The id of the message.',
      metadata: 'What its sender has put beside it.',
    },
  },
  block: {
    title: 'Scope',
    about: 'Nodes inside a node, with a cursor of their own.',
    fields: {
      start: 'Id of the first node of the scope.',
      nodes: 'The nodes of the scope by id; ids are unique in the whole flow.',
    },
  },
  catch: {
    title: 'Catch',
    about: 'Which errors are taken over, and where the run goes on.',
    fields: {
      on: 'Codes of errors, such as `http.404`, `http.5xx`, `http.*`, `timeout` or `*` for every one.',
      next: 'Id of the node to go on with.',
      assign: 'Variables of the state that are set on the way, by name.',
    },
  },
  retry: {
    title: 'Retry',
    about: 'How often a node is tried, after which errors, and how long it waits before each attempt.',
    fields: {
      max_attempts: 'How many attempts are made in all.',
      delay_ms: 'Milliseconds to wait before the second attempt.',
      backoff: { description: 'By what each further wait is multiplied.', default: 2 },
      max_delay_ms: 'Milliseconds that no wait goes beyond.',
      on: 'Codes of errors that are tried again, such as `http.429`, `http.5xx`, `timeout` or `*`.',
    },
  },
  message: {
    title: 'Message',
    about: 'One message of the conversation with a model.',
    fields: { role: 'Who says it: the user, or the model before.', content: 'Its text; template.' },
  },
  tool: {
    title: 'Tool of an agent',
    about: 'What an agent may use: exactly one of `http`, `mcp`, `flow`, `a2a` and `discover`.',
    fields: {
      http: 'A request that the model may send; in its templates `args` holds what the model fills in.',
      mcp: 'URL of an MCP server: all its tools, or those that `tools` names.',
      flow: 'A flow of the workspace that the model may run.',
      a2a: 'An agent that the model may send a message to: a registry id or a URL.',
      discover: 'Filters: the model chooses among the agents found when the conversation begins.',
      name: 'Name by which the model calls it; with `mcp` what the names of its tools begin with.',
      description: 'What the model is told of it.',
      parameters: 'JSON Schema of the object that the model fills in.',
      tools: 'Which tools of the server the agent may use.',
      connection: 'Name of the connection whose credential the server or the agent gets.',
      approval: { description: 'Whether a person is asked before each use.', default: 'never' },
      timeout_seconds: 'Seconds that one use may take, at most those of the node.',
    },
  },
  tool_request: {
    title: 'Request of a tool',
    about: 'A request as an `http` node has it, filled in by the model through `args`.',
    fields: requestWords,
  },
  agent_filter: {
    title: 'Filter of agents',
    about: 'What an agent must be like; all filters must fit.',
    fields: {
      q: 'Words that the agent is searched by.',
      status: 'Whether live agents or test builds are found.',
      visibility: 'To whom the agent is visible.',
      tags: 'Tags that the agent has.',
      input_modes: 'MIME types that the agent takes.',
      output_modes: 'MIME types that the agent gives.',
    },
  },
  child_agent: {
    title: 'Agent inside an agent',
    about: 'An agent that this one can hand work to; its conversation is its own.',
    fields: {
      name: 'Name by which the agent calls it.',
      description: 'What the agent is told of it.',
      instructions: 'What it is to do: its system prompt; template.',
      model: modelWords.model,
      tools: 'What it may use.',
      max_turns: {
        description: 'How many turns of its model are made at most.',
        default: limits.agentTurnsDefault,
      },
      timeout_seconds: 'Seconds that one use of it may take, at most those of the node.',
    },
  },
  captured: {
    title: 'Captured value',
    about: 'A value that the model hands over when it knows it.',
    fields: { description: 'What the model is told of it.', schema: 'JSON Schema of the value.' },
  },
  case: {
    title: 'Case',
    about: 'A condition, and where it leads.',
    fields: {
      when: { description: 'One expression; true takes this case.', examples: ['{{ state.tries < 3 }}'] },
      next: 'Id of the node to go to.',
    },
  },
  file: {
    title: 'File',
    about: 'A file: either its bytes or where it is.',
    fields: {
      raw: 'The bytes in base64; template. Either this or `url`.',
      url: 'Where the file is: an http(s) URL; template.',
      media_type: { description: 'MIME type of the file; template.', examples: ['text/csv'] },
      filename: { description: 'Name of the file; template.', examples: ['orders.csv'] },
    },
  },
  artifact: {
    title: 'Artifact',
    about: 'An output of the run beside its response.',
    fields: { ...labelWords, ...contentWords },
  },
  artifact_chunk: {
    title: 'Artifact of a reply',
    about: 'An output of the run, handed over while it goes on.',
    fields: {
      artifact_id:
        'Which artifact: replies with the same id replace one another or, with `append`, add to it.',
      ...labelWords,
      append:
        'Whether this is added to what the artifact has: true, false, or one expression that gives one.',
      last_chunk:
        'Whether the artifact is complete with this: true, false, or one expression that gives one.',
    },
  },
};
