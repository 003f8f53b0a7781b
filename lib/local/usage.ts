// What `npm start -- --help` prints: the command takes no arguments, and reads the variables of docs/local.md.

export const variables: Readonly<Record<string, string>> = {
  PORT: 'the port of the API (default 3000; 0 means any free port)',
  AGENT_FLOW_HOME: 'the folder with the data (default .local)',
  OPENAI_API_KEY: 'the models of OpenAI, or of the server of OPENAI_BASE_URL',
  OPENAI_BASE_URL: 'a server with the API of OpenAI, such as http://localhost:11434/v1 (Ollama)',
  OPENAI_MODEL: 'one of its models, instead of all that it lists',
  ANTHROPIC_API_KEY: 'the models of Anthropic',
  ANTHROPIC_BASE_URL: 'another address of the API of Anthropic, without /v1',
  ANTHROPIC_MODEL: 'one of its models, instead of all that it lists',
  'AWS_…': 'AWS_PROFILE, AWS_ACCESS_KEY_ID or AWS_BEARER_TOKEN_BEDROCK with AWS_REGION: models of Bedrock',
  BEDROCK_MODEL: 'one of its models or inference profiles, instead of all that it lists',
  MODELS: 'the models as JSON, as in the file of a tenant; instead of all the above',
  MODEL_DEFAULT: 'the name of the model for flows that choose none',
  'MODEL_KEY_…': 'API keys of models, each under the name that its model states as api_key_ref',
  LOG_LEVEL: 'DEBUG, INFO, WARN, ERROR or SILENT (default ERROR)',
  EGRESS_ALLOW_PRIVATE: 'local hosts that flows and callbacks may reach, separated by commas',
  BROWSER_ORIGINS: 'origins whose pages may call agents, separated by commas',
  CATALOG_PUBLISHER: 'the domain under whose name the public agents are listed',
  CONNECTOR_SEARCH_TOOLS: '"true" adds the tools search and fetch to the connector',
  ROOT_AGENT: 'the agent whose card is at /.well-known/agent-card.json',
  AGENT_FLOW_FUNCTIONS: 'sources, or bundles to run the functions as they are deployed',
  AGENT_FLOW_DYNAMODB: 'the DynamoDB engine: dynoxide or dynamodb-local',
};

const lines = Object.entries(variables).map(([name, meaning]) => `  ${name.padEnd(22)}  ${meaning}`);

export const usage = `Usage: npm start

Runs the whole service on 127.0.0.1, with sample data, until Ctrl-C. It takes no arguments, and reads these environment
variables (docs/local.md):

${lines.join('\n')}`;
