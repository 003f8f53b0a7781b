// All limits of the flow format and the engine, in one table that code, docs and tests read.
import { jsonDepthMax } from '#lib/json/depth.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

export const limits = {
  // The flow as text. Sizes are in bytes of UTF-8.
  nodesMax: 500,
  flowBytes: 2 * MiB,
  flowDepth: 64,
  /** Hosts in the `egress` of a flow. */
  egressHostsMax: 100,
  modelsMax: 100,
  /**
   * The `connections` of a flow in bytes: the missing connections of a run are one item of the runs table.
   */
  connectionsBytes: 64 * KiB,
  /** Hosts in the `hosts` of a connection. */
  connectionHostsMax: 50,
  expressionCharsMax: 5120,
  /** Expressions in a flow. Each is parsed when the flow is registered. */
  expressionsMax: 5000,
  /** Estimated steps for parsing an expression, in units of about 25 ns: 50 ms. */
  expressionSizeMax: 2_000_000,
  /**
   * Steps for checking a flow, in the same units: 200 ms for every flow, and another 200 ms for each 0.5 MB.
   */
  checkWorkMin: 8_000_000,
  checkWorkPerByte: 16,
  /** Regular expressions in a JSON Schema. */
  patternsMax: 500,
  /** Cases of a `switch`. */
  casesMax: 100,
  /** Messages in an `llm` node. */
  messagesMax: 100,

  /** Bytes of JSON that one call sends: a body, arguments, the data of a message, the messages to a model. */
  requestBytes: 2 * MiB,
  /** Fields of a form, of which each value of a list is one. */
  formFieldsMax: 1000,

  /** Bytes of a response from which `select` takes a part. */
  selectedBytes: 2 * MiB,
  responseHeadersMax: 50,

  // The input that starts a run, in bytes of JSON. Every entry point refuses more, see `input-size.ts`.
  messageBytes: 64 * KiB,
  userVariablesBytes: 128 * KiB,
  eventBytes: 256 * KiB,
  a2aMessageBytes: 256 * KiB,
  /** Sum of the above: the input is stored in the header of its run, a DynamoDB item of at most 400 KB. */
  inputBytes: 350_000,

  // One run. The `limits` of a flow and of the caller can only lower these, see `run-limits.ts`.
  stepsDefault: 200,
  /** Enough for a map of as many items as it may have, with four nodes each. */
  stepsMax: 50_000,
  modelCallsDefault: 40,
  modelCallsMax: 1000,
  tokensDefault: 50_000,
  tokensMax: 10_000_000,
  runSecondsDefault: 145,
  runSecondsMax: 86_400,
  nodeSecondsDefault: 60,
  nodeSecondsMax: 900,
  attemptsMax: 10,
  delayMsMax: 60_000,
  /** The longest delay before an attempt during which the run is not paused. */
  retrySleepMs: 5_000,
  /** Flows and agents in a chain of calls. */
  callDepthDefault: 5,
  callDepthMax: 10,
  /** Characters of the `contextId` of another agent, and how many agents a scope remembers one for. */
  contextIdChars: 1024,
  remoteContextsMax: 50,
  /** Bytes of a tool result in the context of a model. */
  toolOutputBytesDefault: 32 * KiB,
  toolOutputBytesMax: 200 * KiB,

  // Nodes inside nodes.
  nestingMax: 5,
  branchesMax: 50,
  mapItemsMax: 10_000,
  /**
   * Results of child scopes in a snapshot for each node after which one is stored: with 1,000 results, one is
   * stored after every tenth node.
   */
  resultsPerSnapshot: 100,
  /** Variables of the state in one `merge`. */
  mergesMax: 50,
  concurrencyDefault: 8,
  concurrencyMax: 50,

  // Agents.
  agentTurnsDefault: 8,
  agentTurnsMax: 100,
  agentToolsMax: 128,
  /** Agents found for one tool, from which a model chooses. */
  foundAgentsMax: 20,
  /** Agents that one agent declares as its children. */
  childAgentsMax: 20,
  toolUsesPerTurnMax: 16,
  toolArgumentsBytes: 32 * KiB,
  toolDescriptionChars: 1024,
  /** Questions that the model may ask in one conversation. */
  agentQuestionsDefault: 5,
  agentQuestionsMax: 20,
  questionChars: 4_000,
  /** One text of `say`. */
  progressChars: 1_000,
  /** Bytes of the parameters of a tool whose arguments can be changed by whoever approves a use of it. */
  editableSchemaBytes: 4 * KiB,
  approvalReasonChars: 1_000,
  /** Bytes in one conversation that providers require back with their messages. */
  providerPartsBytes: 256 * KiB,
  /** Bytes of the input schema of a tool that an MCP server offers. */
  toolSchemaBytes: 16 * KiB,

  // Files.
  fileBytes: 25 * MiB,
  /** Files in one request to a model, and in one start of a run. */
  filesMax: 20,

  // Guardrails.
  guardrailChecksMax: 20,
  guardrailPatternChars: 1_000,
  guardrailReplacementChars: 100,
  guardrailMessageChars: 500,

  // Pauses.
  pauseSecondsMax: 30 * 86_400,
  promptBytes: 16 * KiB,
  /** Bytes of all questions that a run asks at the same time: they are one item of the runs table. */
  questionsBytes: 256 * KiB,
  choicesMax: 100,
  /** An event is kept so long for runs that begin to wait for it after it was sent. */
  eventKeepSeconds: 600,
  eventNameChars: 100,
  eventKeyChars: 256,
  /** Bytes of JSON of its data, with which it is the output of a node. */
  eventDataBytes: 196 * KiB,
  /** Waits for events that are open in a run at the same time: each is an item in one transaction of DynamoDB. */
  awaitedEventsMax: 50,
  /** Bytes that a node stores between its own steps, such as the messages of an agent. */
  memoryBytes: 1 * MiB,
  /** Above the first, an agent drops the oldest results of tools, until its memory has the second. */
  compactionBytes: 768 * KiB,
  compactedBytes: 512 * KiB,

  // Values that outlive a run.
  /** Characters of a key. */
  storeKeyChars: 200,
  /** Bytes of JSON of a value of a `store` node. */
  storedValueBytes: 64 * KiB,
  storeDaysDefault: 30,
  storeDaysMax: 365,
  conversationTurnsDefault: 20,
  conversationTurnsMax: 200,
  conversationTokensMax: 60_000,
  /** Bytes of JSON of a conversation: it is one item of the runs table, of at most 400 KB. */
  conversationBytes: 256 * KiB,

  // JavaScript.
  codeChars: 64 * KiB,
  /** Bytes of JSON. The output is one of all outputs. */
  codeInputBytes: 1 * MiB,
  /** Counted in steps of the interpreter, see `lib/code/sandbox.ts`. */
  codeTimeoutMsDefault: 100,
  codeTimeoutMsMax: 1000,
  /** What the code may keep in memory. */
  codeMemoryBytes: 32 * MiB,

  // Values of a run, in bytes of JSON.
  variableBytes: 200 * KiB,
  /**
   * Bytes of the response, and again of the artifacts of an `end`. With the log, this is below the 10 MB
   * above which API Gateway throttles a streamed response.
   */
  responseBytes: 4 * MiB,
  artifactsMax: 20,
  /** The `message` of an `end`, and the `metadata` of a message or an artifact. */
  labelBytes: 16 * KiB,
  snapshotBytes: 4 * MiB,
  valueDepth: jsonDepthMax,
  logEntriesMax: 500,
  /** Bytes of JSON of the body in `error.response`. */
  errorResponseBytes: 32 * KiB,
  /** Bytes of the error message of a node or a run. */
  errorBytes: 4 * KiB,
  previewCharsMax: 1000,

  // Tests in a flow: their number, ms for one test and for all, and ms of CPU time for all.
  testsMax: 100,
  testMs: 5_000,
  testsMs: 15_000,
  testsCpuMs: 1_500,

  // One expression.
  /**
   * Evaluated nodes of the syntax tree and function calls: 30 for each item of the longest list, about 150 to
   * 500 ms.
   */
  expressionStepsMax: 300_000,
  /** CPU time of the thread in ms, for steps that take long. */
  expressionCpuMs: 1_000,
  expressionStack: 100,
  sequenceItemsMax: 10_000,
  regexMatchesMax: 10_000,
  /** Size of the compiled pattern times length of the text: about 100 ms of a linear-time match. */
  regexStepsMax: 20_000_000,
  textCharsMax: 256 * KiB,
  /** Characters of a value counted as a tree, so that a part that is shared many times counts each time. */
  valueSizeMax: 2 * MiB,
  /**
   * Array items and objects that one evaluation may create. In texts, `charsPerSlot` characters count as one
   * slot.
   */
  slotsMax: 1_000_000,
  charsPerSlot: 32,

  // One validation of a value against a JSON Schema.
  /**
   * Steps for keywords, members, items and characters, in units of about 25 ns: enough for a response of 4 MB
   * against an ordinary schema, and at most 200 ms.
   */
  schemaStepsMax: 6_000_000,
  /** CPU time of the thread in ms, in case steps take longer than they are counted. */
  schemaCpuMs: 250,
} as const;
