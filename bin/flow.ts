// `npm run flow -- <command> FILE`: checks, tests, runs and draws a flow in the terminal, without the
// service.
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { createAsk } from '#lib/cli/answers.ts';
import {
  type CommandLine,
  type CommandName,
  isCommand,
  readCommandLine,
  usages,
  WrongCommand,
} from '#lib/cli/command-line.ts';
import { plainText } from '#lib/cli/plain-text.ts';
import { printTests } from '#lib/cli/print-tests.ts';
import { createProgress } from '#lib/cli/progress.ts';
import { readJsonFile } from '#lib/cli/read-document.ts';
import { readCheckedFlow } from '#lib/cli/read-flow.ts';
import { runFlowHere } from '#lib/cli/run-flow-here.ts';
import { openRuntimePorts } from '#lib/cli/runtime-ports.ts';
import { offerHelp } from '#lib/cli/script-options.ts';
import { createCodeThread } from '#lib/code/thread.ts';
import { draw } from '#lib/drawing/draw.ts';
import { findUnknownNode, runLog } from '#lib/drawing/executed-path.ts';
import { buildGraph } from '#lib/drawing/graph.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { testFlow } from '#lib/flow/testing/test-flow.ts';
import { jsonObject } from '#lib/json/json.ts';
import { clock } from '#lib/run/compute/clock.ts';

const help = `  check   lists all mistakes in the flow, each with its JSON pointer, line and column
  test    runs the tests of the flow; no node uses the network
  run     runs the flow; progress goes to stderr, the result as JSON to stdout
  build   writes the flow as JSON, which is what the service registers
  draw    writes a picture of the flow as SVG

  FILE is JSON, JSON with comments (.jsonc), YAML (.yaml, .yml), or a program that exports a flow of the builder (.ts, .js).

  --message <text>      the message that starts the run
  --var <name>=<text>   a user variable; <name>:=<json> sets a JSON value; can be repeated
  --event <file>        a JSON file with the webhook event {event, data} that starts the run
  --env <name>=<text>   an environment variable of the build; can be repeated
  --answer <text>       the answer to a question of the flow, in order; can be repeated. Without one, the terminal asks
  --allow-private <h:p> a local host that the flow may reach, as host:port; can be repeated
  --log <file>          run: writes the result and its log to this file; draw: shows the path of that run
  -o, --out <file>      build, draw: writes to this file (default: stdout)

The environment variables MODELS and MODEL_DEFAULT configure the models (docs/flows.md). Without them, the scripted demo
model answers. The exit code is 0 on success, 1 if the flow has mistakes, the run does not complete or a test fails,
and 2 if the command line is not valid.`;

type Command = (flow: Flow, line: CommandLine) => boolean | Promise<boolean>;

const commands: Readonly<Record<CommandName, Command>> = {
  check,
  test,
  run,
  build,
  draw: writePicture,
};

offerHelp(fullUsage());
try {
  const line = readCommandLine(process.argv.slice(2));
  const flow = await readCheckedFlow(line.file);
  process.exitCode = flow && (await commands[line.name](flow, line)) ? 0 : 1;
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  const isWrong = error instanceof WrongCommand;
  console.error(isWrong ? `${plainText(message)}\n\n${usage()}` : plainText(message));
  process.exitCode = isWrong ? 2 : 1;
}

/** The usage of the given command, or of all commands if it is unknown. */
function usage(): string {
  const name = process.argv[2];
  if (isCommand(name)) return `Usage: ${line(usages[name])}`;
  return fullUsage();
}

function fullUsage(): string {
  const lines = Object.values(usages).map(line);
  return `Usage: ${lines.join('\n       ')}\n\n${help}`;
}

function line(usage: string): string {
  return `npm run flow -- ${usage}`;
}

function check({ name, nodes }: Flow): boolean {
  const count = Object.keys(nodes).length;
  console.log(`"${name}" is a valid flow of ${count} ${count === 1 ? 'node' : 'nodes'}.`);
  return true;
}

async function test(flow: Flow, { env }: CommandLine): Promise<boolean> {
  const report = await testFlow(flow, { clock, code: createCodeThread(), env, timeoutMs: limits.testsMs });
  printTests(report);
  return report.passed;
}

async function run(flow: Flow, line: CommandLine): Promise<boolean> {
  const event = line.event === undefined ? undefined : await readEvent(line.event);
  const input = { message: line.message ?? '', user_variables: line.variables, ...(event && { event }) };
  const runtime = await openRuntimePorts(line.privateHosts);
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  try {
    if (runtime.isScripted)
      console.error('The environment variable MODELS is not set: the scripted demo model answers.');
    const { logs, ...result } = await runFlowHere(flow, {
      runId: randomUUID(),
      input,
      env: line.env,
      ports: runtime.ports,
      progress: createProgress((text) => process.stderr.write(text)),
      ask: createAsk(line.answers, process.stdin.isTTY),
      signal: interrupted.signal,
    });
    if (line.log !== undefined)
      await writeFile(line.log, `${JSON.stringify({ ...result, logs }, undefined, 2)}\n`);
    console.log(JSON.stringify(result, undefined, 2));
    return result.status === 'completed';
  } finally {
    await runtime.close();
  }
}

async function readEvent(path: string) {
  const event = z.strictObject({ event: z.string(), data: jsonObject.optional() });
  const read = event.safeParse(await readJsonFile(path));
  if (read.success) return read.data;
  throw new Error(
    `${path} is not a webhook event: ${read.error.issues[0]?.message ?? 'expected {event, data}'}.`,
  );
}

async function build(flow: Flow, { out }: CommandLine): Promise<boolean> {
  return await write(`${JSON.stringify(flow, undefined, 2)}\n`, out);
}

async function writePicture(flow: Flow, { file, log, out }: CommandLine): Promise<boolean> {
  const svg = await draw(flow, log === undefined ? undefined : await readLog(log, flow, file));
  return await write(svg, out);
}

async function write(text: string, out: string | undefined): Promise<boolean> {
  if (out === undefined) process.stdout.write(text);
  else await writeFile(out, text);
  return true;
}

async function readLog(path: string, flow: Flow, file: string) {
  const log = runLog.safeParse(await readJsonFile(path));
  if (!log.success) throw new Error(`${path} is not the result of a run: expected {logs: […]}.`);
  const unknownNode = findUnknownNode(buildGraph(flow), log.data);
  if (unknownNode === undefined) return log.data;
  throw new Error(
    `${path} is the log of another flow: it has a node "${unknownNode}", which ${file} does not have.`,
  );
}
