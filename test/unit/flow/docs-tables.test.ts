// What docs/flows.md says in numbers and lists is what the code holds to: every limit with its value, every keyword of JSON Schema.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { limits } from '#lib/flow/format/limits.ts';
import { annotations, keywords } from '#lib/flow/schema/dialect.ts';

const page = readFileSync(new URL('../../../docs/flows.md', import.meta.url), 'utf8');
const section = (heading: string) => page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

const kb = (bytes: number) => `${bytes / 1024} KB`;
const mb = (bytes: number) => `${bytes / 1024 / 1024} MB`;
const seconds = (ms: number) => `${ms / 1000} s`;
const spaced = (count: number) => `${count}`.replaceAll(/\B(?=(\d{3})+$)/g, ' ');
const started = ['messageBytes', 'userVariablesBytes', 'eventBytes', 'a2aMessageBytes'] as const;
const starts = () => `${started.map((name) => kb(limits[name])).join(' · ')} of JSON`;
const inside = () => `| ${limits.branchesMax} · ${limits.mapItemsMax} · ${limits.concurrencyDefault}, \``;

/** How the table says each of them. */
const words: Readonly<Record<keyof typeof limits, (value: number) => string>> = {
  nodesMax: (count) => `${count} nodes,`,
  flowBytes: (bytes) => `| flow | ${mb(bytes)} of JSON`,
  flowDepth: (levels) => `${levels} levels, `,
  egressHostsMax: (count) => `${count} hosts ·`,
  modelsMax: (count) => `· ${count} models`,
  connectionsBytes: (bytes) => `\`connections\` | ${kb(bytes)}`,
  connectionHostsMax: (count) => `${count} hosts of each`,
  expressionCharsMax: (count) => `${count} characters each`,
  expressionsMax: (count) => `${count} in a flow`,
  expressionWeightMax: (count) => `to parse one ${spaced(count)} units`,
  checkWorkMin: (count) => `the check of a flow | ${spaced(count)} units of work`,
  checkWorkPerByte: (count) => `and ${count} more for each byte`,
  patternsMax: (count) => `${count} in a JSON Schema`,
  casesMax: (count) => `\`llm\` | ${count} ·`,
  messagesMax: (count) => `· ${count} |`,
  requestBytes: (bytes) => `messages to a model | ${mb(bytes)} of JSON`,
  messageBytes: starts,
  userVariablesBytes: starts,
  eventBytes: starts,
  a2aMessageBytes: starts,
  inputBytes: (bytes) => `${spaced(bytes).replace(' ', ',')} bytes together`,
  stepsDefault: (count) => `steps of a run | ${count};`,
  stepsMax: (count) => `\`max_steps\` up to ${spaced(count)} |`,
  modelCallsDefault: (count) => `model calls of a run | ${count};`,
  modelCallsMax: (count) => `\`max_model_calls\` up to ${count} |`,
  tokensDefault: (count) => `input and output | ${spaced(count)};`,
  tokensMax: (count) => `\`max_tokens\` up to ${spaced(count)} |`,
  runSecondsDefault: (count) => `${count} s where the caller waits`,
  runSecondsMax: (count) => `\`timeout_seconds\` up to ${spaced(count)},`,
  nodeSecondsDefault: (count) => `time of one attempt | ${count} s;`,
  nodeSecondsMax: (count) => `\`timeout_seconds\` up to ${count} |`,
  attemptsMax: (count) => `attempts of a node | ${count},`,
  delayMsMax: (ms) => `at most ${seconds(ms)} between two`,
  callDepthDefault: (count) => `${count} in a chain`,
  callDepthMax: (count) => `\`max_depth\` up to ${count} |`,
  toolOutputBytesDefault: (bytes) => `back to a model | ${kb(bytes)};`,
  toolOutputBytesMax: (bytes) => `\`max_tool_output_bytes\` up to ${kb(bytes)}`,
  nestingMax: (count) => `${count} levels of nodes inside nodes`,
  branchesMax: inside,
  mapItemsMax: inside,
  concurrencyDefault: inside,
  concurrencyMax: (count) => `\`max_concurrency\` up to ${count} |`,
  agentTurnsDefault: (count) => `an agent | ${count} turns`,
  agentTurnsMax: (count) => `\`max_turns\` up to ${count};`,
  agentToolsMax: (count) => `${count} tools,`,
  childAgentsMax: (count) => `${count} agents inside it`,
  foundAgentsMax: (count) => `${count} found for one tool`,
  toolUsesPerTurnMax: (count) => `${count} at once;`,
  toolArgumentsBytes: (bytes) => `${kb(bytes)} of arguments`,
  toolDescriptionChars: (count) => `${count} characters of a description`,
  toolSchemaBytes: (bytes) => `${kb(bytes)} of the parameters of a server's tool`,
  providerPartsBytes: (bytes) => `of which reasoning ${kb(bytes)}`,
  memoryBytes: (bytes) => `such as a conversation | ${mb(bytes)},`,
  pauseSecondsMax: (count) => `a question or a wait | ${count / 86_400} days`,
  promptBytes: (bytes) => `a prompt of ${kb(bytes)}`,
  questionsBytes: (bytes) => `open at once | ${kb(bytes)} of JSON`,
  choicesMax: (count) => `${count} choices`,
  variableBytes: (bytes) => `one output or variable | ${kb(bytes)} of JSON`,
  responseBytes: (bytes) => `| response | ${mb(bytes)};`,
  artifactsMax: (count) => `${count} artifacts of an \`end\``,
  snapshotBytes: (bytes) => `all outputs and variables together | ${mb(bytes)} |`,
  valueDepth: (levels) => `and ${levels} levels,`,
  logEntriesMax: (count) => `| log | ${count} entries`,
  errorBytes: (bytes) => `message of an error | ${kb(bytes)};`,
  previewCharsMax: (count) => `${count} characters an entry`,
  testsMax: (count) => `tests of a flow | ${count};`,
  testMs: (ms) => `${seconds(ms)} for one`,
  testsMs: (ms) => `${seconds(ms)} for all`,
  testsCpuMs: (ms) => `${seconds(ms)} of CPU for all`,
  expressionStepsMax: (count) => `| ${spaced(count)} steps and`,
  expressionCpuMs: (ms) => `${seconds(ms)} of CPU time`,
  expressionStack: (count) => `recursion depth ${count},`,
  sequenceItemsMax: (count) => `lists of ${spaced(count)} items`,
  regexMatchesMax: (count) => `${spaced(count)} matches`,
  regexWorkMax: (count) => `the length of the text ${spaced(count)} |`,
  textCharsMax: (count) => `texts of ${count / 1024} K characters`,
  valueWeightMax: (count) => `values of ${mb(count)}`,
  slotsMax: (count) => `${spaced(count)} places in lists and objects`,
  charsPerSlot: (count) => `one for each ${count} characters`,
  schemaWorkMax: (count) => `${spaced(count)} looks at`,
  schemaCpuMs: (ms) => `and ${ms} ms of CPU time; more is \`schema.too_complex\``,
};

test.each(Object.entries(limits))('the table of limits says %s, which is %i', (name, value) => {
  const said = Object.entries(words).find(([key]) => key === name)?.[1](value);
  expect(section('Limits')).toContain(said);
});

test('the keywords of JSON Schema are those that are checked, and the notes those that are taken', () => {
  const text = section('JSON Schema');
  const [checked = '', notes = ''] = text.split(/regular expressions above\./);
  const list = /part of JSON Schema 2020-12: `([^`]+)`/.exec(checked)?.[1] ?? '';
  expect(list.split(/\s+/).sort()).toEqual(Object.keys(keywords).sort());
  const named = [...(notes.split(' are notes')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  expect(named.sort()).toEqual([...annotations, 'x-…'].sort());
});
