// The tables of docs/flows.md agree with the code: every limit with its value, and every keyword of JSON
// Schema.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { limits } from '#lib/flow/format/limits.ts';
import { annotations, keywords } from '#lib/flow/schema/dialect.ts';

const page = readFileSync(new URL('../../../docs/flows.md', import.meta.url), 'utf8');
const section = (heading: string) => page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

const kb = (bytes: number) => `${bytes / 1024} KB`;
const mb = (bytes: number) => `${bytes / 1024 / 1024} MB`;
const seconds = (ms: number) => `${ms / 1000} s`;
const grouped = (count: number) => count.toLocaleString('en-US');

/** The row of the table, or the part of it, that states each limit. */
const words: Readonly<Record<keyof typeof limits, (value: number) => string>> = {
  nodesMax: (count) => `| nodes | ${count} |`,
  flowBytes: (bytes) => `| size of the flow | ${mb(bytes)},`,
  flowDepth: (levels) => `, ${levels} levels |`,
  egressHostsMax: (count) => `| hosts in \`egress\` | ${count} |`,
  modelsMax: (count) => `| \`models\` | ${count} |`,
  connectionsBytes: (bytes) => `| \`connections\` | ${kb(bytes)},`,
  connectionHostsMax: (count) => `with ${count} hosts each |`,
  expressionCharsMax: (count) => `with ${grouped(count)} characters each |`,
  expressionsMax: (count) => `| expressions | ${grouped(count)},`,
  expressionSizeMax: (count) => `| work to parse an expression | ${grouped(count)} units;`,
  checkWorkMin: (count) => `| work to check the flow | ${grouped(count)} units`,
  checkWorkPerByte: (count) => `and ${count} more for each byte`,
  patternsMax: (count) => `| \`pattern\`s in a JSON Schema | ${count} |`,
  casesMax: (count) => `| \`cases\` of a \`switch\` | ${count} |`,
  messagesMax: (count) => `| \`messages\` of an \`llm\` | ${count} |`,
  requestBytes: (bytes) => `the messages to a model | ${mb(bytes)} |`,
  formFieldsMax: (count) => `| fields of a form | ${grouped(count)} |`,
  selectedBytes: (bytes) => `| response from which \`select\` takes a part | ${mb(bytes)};`,
  guardrailChecksMax: (count) => `| checks of the \`input\` or the \`output\` in \`guardrails\` | ${count},`,
  guardrailPatternChars: (count) => `with a \`pattern\` of ${grouped(count)} characters,`,
  guardrailReplacementChars: (count) => `a \`replacement\` of ${count}`,
  guardrailMessageChars: (count) => `and a \`message\` of ${count} |`,
  responseHeadersMax: (count) => `| \`response_headers\` of a request | ${count} |`,
  messageBytes: (bytes) => `| \`message\` | ${kb(bytes)} |`,
  userVariablesBytes: (bytes) => `| \`user_variables\` | ${kb(bytes)} |`,
  eventBytes: (bytes) => `| \`event\` of a webhook | ${kb(bytes)} |`,
  a2aMessageBytes: (bytes) => `| \`a2a\` message | ${kb(bytes)} |`,
  inputBytes: (bytes) => `| these four together | ${grouped(bytes)} bytes;`,
  stepsDefault: (count) => `| \`max_steps\` | ${count} |`,
  stepsMax: (count) => `| \`max_steps\` | ${limits.stepsDefault} | ${grouped(count)} |`,
  modelCallsDefault: (count) => `| \`max_model_calls\` | ${count} |`,
  modelCallsMax: (count) => `| \`max_model_calls\` | ${limits.modelCallsDefault} | ${grouped(count)} |`,
  tokensDefault: (count) => `| \`max_tokens\` | ${grouped(count)} |`,
  tokensMax: (count) => `| \`max_tokens\` | ${grouped(limits.tokensDefault)} | ${grouped(count)} |`,
  runSecondsDefault: (count) => `| \`timeout_seconds\` | ${count} s, or`,
  runSecondsMax: (count) => `the field accepts up to ${grouped(count)} |`,
  nodeSecondsDefault: (count) => `| \`timeout_seconds\` of the node | ${count} s |`,
  nodeSecondsMax: (count) => `s | ${count} s |`,
  attemptsMax: (count) => `| attempts of a node | ${count},`,
  delayMsMax: (ms) => `with at most ${seconds(ms)} between two attempts |`,
  retrySleepMs: (ms) => `is not paused | ${seconds(ms)} |`,
  callDepthDefault: (count) => `| \`max_depth\` | ${count} |`,
  callDepthMax: (count) => `| \`max_depth\` | ${limits.callDepthDefault} | ${count} |`,
  toolOutputBytesDefault: (bytes) => `| \`max_tool_output_bytes\` | ${kb(bytes)} |`,
  toolOutputBytesMax: (bytes) =>
    `| \`max_tool_output_bytes\` | ${kb(limits.toolOutputBytesDefault)} | ${kb(bytes)} |`,
  nestingMax: (count) => `| nesting of nodes inside nodes | ${count} levels |`,
  branchesMax: (count) => `| branches of a \`parallel\` | ${count} |`,
  mergesMax: (count) => `| variables in a \`merge\` | ${count} |`,
  resultsPerSnapshot: (count) => `| at most ${count} results: after every node;`,
  mapItemsMax: (count) => `| items of a \`map\` | ${grouped(count)} |`,
  concurrencyDefault: (count) => `| \`max_concurrency\` of the node | ${count} |`,
  concurrencyMax: (count) => `| \`max_concurrency\` of the node | ${limits.concurrencyDefault} | ${count} |`,
  agentTurnsDefault: (count) => `| \`max_turns\` of the node | ${count} |`,
  agentTurnsMax: (count) => `| \`max_turns\` of the node | ${limits.agentTurnsDefault} | ${count} |`,
  agentToolsMax: (count) => `| tools of an agent | ${count} |`,
  childAgentsMax: (count) => `| child agents of an \`agent\` | ${count} |`,
  foundAgentsMax: (count) => `| agents that one \`discover\` tool offers | ${count} |`,
  contextIdChars: (count) => `| \`context_id\` of another agent | ${grouped(count)} characters;`,
  remoteContextsMax: (count) => `those of ${count} agents are remembered |`,
  toolUsesPerTurnMax: (count) => `| uses of tools that run concurrently in a turn | ${count} |`,
  toolArgumentsBytes: (bytes) => `| arguments of one use of a tool | ${kb(bytes)} |`,
  agentQuestionsDefault: (count) => `| \`max_questions\` of the tool | ${count} |`,
  agentQuestionsMax: (count) =>
    `| \`max_questions\` of the tool | ${limits.agentQuestionsDefault} | ${count} |`,
  questionChars: (count) => `| question of an agent | ${grouped(count)} characters`,
  progressChars: (count) => `; a text of \`say\` ${grouped(count)} |`,
  editableSchemaBytes: (bytes) =>
    `| parameters of a tool whose arguments an approval can change | ${kb(bytes)} |`,
  approvalReasonChars: (count) => `| \`reason\` of an approval | ${grouped(count)} characters |`,
  toolDescriptionChars: (count) => `and its parameters | ${grouped(count)} characters,`,
  toolSchemaBytes: (bytes) => `characters, and ${kb(bytes)} |`,
  providerPartsBytes: (bytes) => `of which ${kb(bytes)} for reasoning`,
  memoryBytes: (bytes) => `such as a conversation | ${mb(bytes)},`,
  compactionBytes: (bytes) =>
    `| memory of an agent, above which it drops the oldest results of tools | ${kb(bytes)};`,
  compactedBytes: (bytes) => `then it has ${kb(bytes)} |`,
  pauseSecondsMax: (count) => `or a wait lasts | ${count / 86_400} days |`,
  promptBytes: (bytes) => `| \`prompt\` of an \`ask\` | ${kb(bytes)} |`,
  questionsBytes: (bytes) => `| all open questions together | ${kb(bytes)} |`,
  eventKeepSeconds: (count) => `| an event is kept for runs that wait for it later | ${count / 60} minutes |`,
  eventNameChars: (count) => `| name of an event | ${count} characters |`,
  eventKeyChars: (count) => `| \`key\` of an event | ${count} characters |`,
  eventDataBytes: (bytes) => `| \`data\` of an event for which runs wait | ${kb(bytes)} |`,
  awaitedEventsMax: (count) => `| events that a run awaits at the same time | ${count} |`,
  choicesMax: (count) => `| \`choices\` of an \`ask\` | ${count} |`,
  storeKeyChars: (count) => `| key of a \`store\` or a \`conversation\` | ${count} characters |`,
  codeChars: (count) => `| \`code\` | ${grouped(count)} characters |`,
  codeInputBytes: (bytes) => `| \`input\` of a \`code\` node | ${mb(bytes)} |`,
  codeTimeoutMsDefault: (ms) => `| \`timeout_ms\` of a \`code\` node | ${ms},`,
  codeTimeoutMsMax: (ms) => `, at most ${grouped(ms)}; counted in steps |`,
  codeMemoryBytes: (bytes) => `| memory of the code | ${mb(bytes)} |`,
  storedValueBytes: (bytes) => `| \`value\` of a \`store\` | ${kb(bytes)} |`,
  storeDaysDefault: (count) => `| \`keep_days\` | ${count}, at most`,
  storeDaysMax: (count) => `, at most ${count} |`,
  conversationTurnsDefault: (count) => `| \`turns\` of a \`conversation\` | ${count}, at most`,
  conversationTurnsMax: (count) => `at most ${count}; estimated`,
  conversationTokensMax: (count) => `estimated \`max_tokens\` at most ${grouped(count)};`,
  conversationBytes: (bytes) => `; ${kb(bytes)} in all |`,
  variableBytes: (bytes) => `| one output or variable | ${kb(bytes)} |`,
  responseBytes: (bytes) => `| response | ${mb(bytes)};`,
  labelBytes: (bytes) =>
    `| \`message\` of an \`end\`, \`metadata\` of a message or an artifact | ${kb(bytes)} each |`,
  fileBytes: (bytes) => `| files that a model receives in one request | ${mb(bytes)} in all,`,
  filesMax: (count) => `in all, ${count} files |`,
  artifactsMax: (count) => `| artifacts of an \`end\` | ${count},`,
  snapshotBytes: (bytes) => `| all outputs and variables together | ${mb(bytes)} |`,
  valueDepth: (levels) => `${mb(limits.valueSizeMax)}, ${levels} levels |`,
  logEntriesMax: (count) => `| log | ${count} entries of`,
  errorResponseBytes: (bytes) => `| body in \`error.response\` | ${kb(bytes)};`,
  errorBytes: (bytes) => `| message of an error | ${kb(bytes)};`,
  previewCharsMax: (count) => `entries of ${grouped(count)} characters;`,
  testsMax: (count) => `| \`tests\` | ${count};`,
  testMs: (ms) => `${seconds(ms)} for one,`,
  testsMs: (ms) => `for one, ${seconds(ms)} and`,
  testsCpuMs: (ms) => `and ${seconds(ms)} of CPU time for all |`,
  expressionStepsMax: (count) => `| steps of one evaluation | ${grouped(count)} (`,
  expressionCpuMs: (ms) => `| CPU time of one evaluation | ${seconds(ms)} |`,
  expressionStack: (count) => `| recursion depth | ${count} |`,
  sequenceItemsMax: (count) => `| items of a list | ${grouped(count)} |`,
  regexMatchesMax: (count) => `| matches of a regular expression | ${grouped(count)} |`,
  regexStepsMax: (count) => `times the length of the text | ${grouped(count)} |`,
  textCharsMax: (count) => `| length of a text | ${count / 1024} K characters |`,
  valueSizeMax: (count) => `| size of a value | ${mb(count)},`,
  slotsMax: (count) => `that one evaluation creates | ${grouped(count)};`,
  charsPerSlot: (count) => `one slot for each ${count} characters`,
  schemaStepsMax: (count) => `against a JSON Schema | ${grouped(count)} units,`,
  schemaCpuMs: (ms) => `and ${ms} ms of CPU time; more is \`schema.too_complex\``,
};

test.each(Object.entries(limits))('the tables of limits state %s, which is %i', (name, value) => {
  const expected = Object.entries(words).find(([key]) => key === name)?.[1](value);
  expect(section('Limits')).toContain(expected);
});

test('the keywords of JSON Schema are those that are checked, and the notes those that are taken', () => {
  const text = section('JSON Schema');
  const [checked = '', notes = ''] = text.split(/regular expressions above\./);
  const list = /part of JSON Schema 2020-12: `([^`]+)`/.exec(checked)?.[1] ?? '';
  expect(list.split(/\s+/).sort()).toEqual(Object.keys(keywords).sort());
  const named = [...(notes.split(' are notes')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  expect(named.sort()).toEqual([...annotations, 'x-…'].sort());
});
