// Every bound of the flow format and the engine, in one table that code, docs and tests read.
import { jsonDepthMax } from '#lib/json/depth.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

export const limits = {
  // The flow as text.
  nodesMax: 500,
  flowBytes: 2 * MiB,
  flowDepth: 64,
  /** Hosts in `egress`. */
  egressHostsMax: 100,
  modelsMax: 100,
  /** Declared by one flow: what a run lacks of them is told in one item of the runs table. */
  connectionsBytes: 64 * KiB,
  /** Of one connection. */
  connectionHostsMax: 50,
  expressionCharsMax: 5120,
  /** In one flow. Each is parsed when the flow is registered. */
  expressionsMax: 5000,
  /** To parse it, in units of some 25 ns: 50 ms. */
  expressionWeightMax: 2_000_000,
  /** To check a flow, in the same units: 200 ms for any, and as much again for each half megabyte. */
  checkWorkMin: 8_000_000,
  checkWorkPerByte: 16,
  /** In one JSON Schema. */
  patternsMax: 500,
  /** Of one `switch`. */
  casesMax: 100,
  /** That one `llm` node writes. */
  messagesMax: 100,

  /** Of what one call sends, as UTF-8 bytes of its JSON: a body, arguments, the data of a message, the messages to a model. */
  requestBytes: 2 * MiB,

  // What starts a run, as UTF-8 bytes of its JSON. Every door refuses more; `input-size.ts` asks.
  messageBytes: 64 * KiB,
  userVariablesBytes: 128 * KiB,
  eventBytes: 256 * KiB,
  a2aMessageBytes: 256 * KiB,
  /** All of it together: it stands in the header of its run, an item of 400 KB. */
  inputBytes: 350_000,

  // One run. A flow's own `limits` and the caller's can only lower the numbers that are in force, see `run-limits.ts`.
  stepsDefault: 200,
  stepsMax: 10_000,
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
  /** Flows and agents that call one another: how many stand in the chain. */
  callDepthDefault: 5,
  callDepthMax: 10,
  /** Of what a tool gives back, in the context of a model. */
  toolOutputBytesDefault: 32 * KiB,
  toolOutputBytesMax: 200 * KiB,

  // Nodes inside nodes.
  nestingMax: 5,
  branchesMax: 50,
  mapItemsMax: 1000,
  concurrencyDefault: 8,
  concurrencyMax: 50,

  // Agents.
  agentTurnsDefault: 8,
  agentTurnsMax: 100,
  agentToolsMax: 128,
  /** Among which a model may choose, for one tool. */
  foundAgentsMax: 20,
  /** Inside one agent. */
  childAgentsMax: 20,
  toolUsesPerTurnMax: 16,
  toolArgumentsBytes: 32 * KiB,
  toolDescriptionChars: 1024,
  /** In one conversation, of what providers want back with their turns. */
  providerPartsBytes: 256 * KiB,
  /** Of a tool that a server offers. */
  toolSchemaBytes: 16 * KiB,

  // Pauses.
  pauseSecondsMax: 30 * 86_400,
  promptBytes: 16 * KiB,
  /** All that a run asks at once: one item of the runs table holds it. */
  questionsBytes: 256 * KiB,
  choicesMax: 100,
  /** What a node keeps between its own steps, such as the messages of an agent. */
  memoryBytes: 1 * MiB,

  // Values of a run, as UTF-8 bytes of their JSON.
  variableBytes: 200 * KiB,
  /** And as much again for the artifacts of an `end`: with the log that is below the 10 MB after which API Gateway slows an answer down. */
  responseBytes: 4 * MiB,
  artifactsMax: 20,
  snapshotBytes: 4 * MiB,
  valueDepth: jsonDepthMax,
  logEntriesMax: 500,
  /** Of a message that says why a node or a run has failed. */
  errorBytes: 4 * KiB,
  previewCharsMax: 1000,

  // Tests that a flow brings along: how many, the time of one and of all of them, and the processor time of all.
  testsMax: 100,
  testMs: 5_000,
  testsMs: 15_000,
  testsCpuMs: 1_500,

  // One expression.
  /** Nodes of the syntax tree that are evaluated, and calls of functions: 30 for each item of the longest list, some 150 to 500 ms. */
  expressionStepsMax: 300_000,
  /** Of the thread, for steps that are long by themselves. */
  expressionCpuMs: 1_000,
  expressionStack: 100,
  sequenceItemsMax: 10_000,
  regexMatchesMax: 10_000,
  /** Program size times text length: about 100 ms of a linear-time match. */
  regexWorkMax: 20_000_000,
  textCharsMax: 256 * KiB,
  /** Characters of a value counted as a tree, so that sharing one part many times cannot hide its size. */
  valueWeightMax: 2 * MiB,
  /** Array and object slots that one evaluation may create in all, and texts, of which so many characters count as one. */
  slotsMax: 1_000_000,
  charsPerSlot: 32,

  // One check of a value against a JSON Schema.
  /** Looks at keywords, members, items and characters, each some 25 ns: a response of 4 MB against an ordinary schema has room, all end within 200 ms. */
  schemaWorkMax: 6_000_000,
  /** Of the thread, should steps ever take longer than they are counted. */
  schemaCpuMs: 250,
} as const;
