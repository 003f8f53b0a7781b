// The names of everything that exported spans say: one row for each attribute, where it is, and its convention. The GenAI
// conventions of OpenTelemetry are not stable yet, so no other file has names of them; docs/telemetry.md has this table.

/** The version of the semantic conventions whose names these are. */
export const schemaUrl = 'https://opentelemetry.io/schemas/1.41.0';

interface AttributeRow {
  readonly name: string;
  /** The spans that have it. */
  readonly on: string;
  readonly means: string;
  /** Sent only by a sink with `content: full`. */
  readonly isContent?: boolean;
}

export const attributes = {
  serviceName: { name: 'service.name', on: 'resource', means: '`agent-flow-service`' },
  environment: { name: 'deployment.environment.name', on: 'resource', means: 'the environment of the run' },
  orgid: { name: 'agent_flow.orgid', on: 'resource', means: 'the organisation of the flow' },
  workspaceid: { name: 'agent_flow.workspaceid', on: 'resource', means: 'the workspace of the flow' },

  operation: {
    name: 'gen_ai.operation.name',
    on: 'run, node, model, tool',
    means: '`invoke_workflow`, `invoke_agent`, `chat` or `execute_tool`',
  },
  observation: {
    name: 'openinference.span.kind',
    on: 'run, node, attempt',
    means: '`CHAIN` where no operation says it, for Phoenix, which shows it',
  },
  workflow: { name: 'gen_ai.workflow.name', on: 'run', means: 'the flowid' },
  conversation: { name: 'gen_ai.conversation.id', on: 'run', means: 'the A2A context of the run' },
  session: { name: 'session.id', on: 'run', means: 'the same, where Langfuse and Phoenix look for it' },
  agentVersion: { name: 'gen_ai.agent.version', on: 'run', means: 'the number of the build' },
  runId: { name: 'agent_flow.run_id', on: 'run', means: 'the id of the run' },
  registryId: { name: 'agent_flow.registry_id', on: 'run', means: 'the registry id of the build' },
  payloadId: { name: 'agent_flow.payload_id', on: 'run', means: 'the version of its flow' },
  trigger: {
    name: 'agent_flow.trigger',
    on: 'run',
    means: 'what started it: `api`, `background`, `webhook`, `schedule` or `a2a`',
  },
  triggerId: { name: 'agent_flow.trigger_id', on: 'run', means: 'the trigger, where there is one' },
  status: {
    name: 'agent_flow.status',
    on: 'run, node',
    means: 'how it ended: `completed`, `failed` or `canceled`',
  },
  replayOf: { name: 'agent_flow.replay_of', on: 'run', means: 'the run that it runs again' },
  forkOf: { name: 'agent_flow.fork_of', on: 'run', means: 'the run that it forks' },
  runInputTokens: { name: 'agent_flow.input_tokens', on: 'run', means: 'of all its models' },
  runOutputTokens: { name: 'agent_flow.output_tokens', on: 'run', means: 'of all its models' },
  runCost: {
    name: 'agent_flow.cost_usd',
    on: 'run',
    means: 'of all its models; absent where one has no price',
  },

  nodeId: { name: 'agent_flow.node_id', on: 'node', means: 'the node of the flow' },
  nodeType: { name: 'agent_flow.node_type', on: 'node', means: 'its type' },
  execution: {
    name: 'agent_flow.execution',
    on: 'node',
    means: 'the id of the execution, as the runs API has it',
  },
  isReused: {
    name: 'agent_flow.reused',
    on: 'node',
    means: 'true if a fork has its output of the run that it forks',
  },
  agentName: { name: 'gen_ai.agent.name', on: 'node', means: 'the node, if it is an `agent`' },
  attempt: { name: 'agent_flow.attempt', on: 'attempt, model', means: 'from 1' },
  host: { name: 'server.address', on: 'attempt', means: 'the host that an `http` node has requested' },
  httpStatus: { name: 'http.response.status_code', on: 'attempt', means: 'with which it has answered' },
  errorType: {
    name: 'error.type',
    on: 'run, node, attempt',
    means: 'the [code](flows.md#errors) of what failed',
  },

  provider: { name: 'gen_ai.provider.name', on: 'model', means: 'the provider of the model' },
  requestModel: { name: 'gen_ai.request.model', on: 'model', means: 'the model' },
  responseModel: { name: 'gen_ai.response.model', on: 'model', means: 'the same' },
  inputTokens: { name: 'gen_ai.usage.input_tokens', on: 'model', means: 'with those of the cache' },
  outputTokens: { name: 'gen_ai.usage.output_tokens', on: 'model', means: '' },
  cacheRead: {
    name: 'gen_ai.usage.cache_read.input_tokens',
    on: 'model',
    means: 'what the provider has read from its cache',
  },
  cacheWrite: {
    name: 'gen_ai.usage.cache_creation.input_tokens',
    on: 'model',
    means: 'what it has written to it',
  },
  cost: {
    name: 'gen_ai.usage.cost',
    on: 'model',
    means: 'US dollars by the prices of the tenant; no convention, but Langfuse reads it',
  },
  tool: { name: 'gen_ai.tool.name', on: 'tool', means: 'the tool that an agent has used' },

  input: { name: 'input.value', on: 'node', means: 'the fields of the node, as JSON', isContent: true },
  output: { name: 'output.value', on: 'node', means: 'its output, as JSON', isContent: true },
  system: {
    name: 'gen_ai.system_instructions',
    on: 'model',
    means: 'the system prompt, as JSON',
    isContent: true,
  },
  inputMessages: {
    name: 'gen_ai.input.messages',
    on: 'model',
    means: 'the messages to the model, as JSON',
    isContent: true,
  },
  outputMessages: {
    name: 'gen_ai.output.messages',
    on: 'model',
    means: 'its answer, as JSON',
    isContent: true,
  },
} as const satisfies Record<string, AttributeRow>;

export type Attribute = keyof typeof attributes;

/** The values of attributes; those that are undefined are left out. */
export type AttributeValues = Partial<Readonly<Record<Attribute, string | number | boolean | undefined>>>;

/** As the conventions name providers, where they do. */
const providers: Readonly<Record<string, string>> = {
  bedrock: 'aws.bedrock',
  'openai-compatible': 'openai',
};

/** `model` is `provider/model`. */
export function describeModel(model: string): AttributeValues {
  const [provider = '', ...rest] = model.split('/');
  const name = rest.join('/');
  return { provider: providers[provider] ?? provider, requestModel: name, responseModel: name };
}
