// `npm run flow -- <command> FILE`: checks, tests, runs and draws a flow in the terminal, without the service.
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
} from '#lib/cli/command-line.ts';
import { plainText } from '#lib/cli/plain-text.ts';
import { printTests } from '#lib/cli/print-tests.ts';
import { createProgress } from '#lib/cli/progress.ts';
import { readCheckedFlow, readJsonFile } from '#lib/cli/read-flow.ts';
import { runFlowHere } from '#lib/cli/run-flow-here.ts';
import { openOutside } from '#lib/cli/runtime-ports.ts';
import { WrongCommand } from '#lib/cli/wrong-command.ts';
import { draw } from '#lib/drawing/draw.ts';
import { runLog, strangeNode } from '#lib/drawing/executed-path.ts';
import { graphOf } from '#lib/drawing/graph.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { testFlow } from '#lib/flow/testing/test-flow.ts';
import { jsonObject } from '#lib/json/json.ts';
import { clock } from '#lib/run/compute/clock.ts';

const help = `  check   says every mistake in the flow, with its place
  test    runs the tests in the flow; no node reaches the network
  run     runs the flow; progress goes to stderr, the result as JSON to stdout
  draw    writes a picture of the flow as SVG

  --message <text>      what starts the run
  --var <name>=<text>   a user variable; with <name>:=<json> it is any JSON value; repeat for several
  --event <file>        {event, data} of a webhook, as JSON
  --env <name>=<text>   a value of the build's environment; repeat for several
  --answer <text>       answers what the flow asks, in order; without one a person at the terminal is asked
  --allow-private <h:p> a local host that the flow may reach, as host:port; repeat for several
  --log <file>          run: writes the result with its log there; draw: shows the way that run took
  -o, --out <file>      where the picture goes (default: stdout)

Models are those of MODELS and MODEL_DEFAULT in the environment (docs/flows.md); without them the scripted demo model answers.
The exit code is 0 when all is well, 1 when the flow has mistakes or did not complete or a test failed, 2 for a wrong command.`;

type Command = (flow: Flow, told: CommandLine) => boolean | Promise<boolean>;

const commands: Readonly<Record<CommandName, Command>> = { check, test, run, draw: drawn };

try {
  const told = readCommandLine(process.argv.slice(2));
  const flow = await readCheckedFlow(told.file);
  process.exitCode = flow && (await commands[told.name](flow, told)) ? 0 : 1;
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  const isWrong = error instanceof WrongCommand;
  console.error(isWrong ? `${plainText(message)}\n\n${usage()}` : plainText(message));
  process.exitCode = isWrong ? 2 : 1;
}

/** Of the command that was meant, or else of all. */
function usage(): string {
  const meant = process.argv[2];
  const line = (usage: string) => `npm run flow -- ${usage}`;
  if (isCommand(meant)) return `Usage: ${line(usages[meant])}`;
  return `Usage: ${Object.values(usages).map(line).join('\n       ')}\n\n${help}`;
}

function check({ name, nodes }: Flow): boolean {
  const count = Object.keys(nodes).length;
  console.log(`"${name}" is a valid flow of ${count} ${count === 1 ? 'node' : 'nodes'}.`);
  return true;
}

async function test(flow: Flow, { env }: CommandLine): Promise<boolean> {
  const report = await testFlow(flow, { clock, env, timeoutMs: limits.testsMs });
  printTests(report);
  return report.passed;
}

async function run(flow: Flow, told: CommandLine): Promise<boolean> {
  const event = told.event === undefined ? undefined : await readEvent(told.event);
  const input = { message: told.message ?? '', user_variables: told.variables, ...(event && { event }) };
  const outside = await openOutside(told.privateHosts);
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  try {
    if (outside.isScripted) console.error('No MODELS in the environment: the scripted demo model answers.');
    const { logs, ...result } = await runFlowHere(flow, {
      ...{ runId: randomUUID(), input, env: told.env, outside: outside.ports },
      progress: createProgress((text) => process.stderr.write(text)),
      ask: createAsk(told.answers, process.stdin.isTTY),
      signal: interrupted.signal,
    });
    if (told.log !== undefined)
      await writeFile(told.log, `${JSON.stringify({ ...result, logs }, undefined, 2)}\n`);
    console.log(JSON.stringify(result, undefined, 2));
    return result.status === 'completed';
  } finally {
    await outside.close();
  }
}

async function readEvent(path: string) {
  const event = z.strictObject({ event: z.string(), data: jsonObject.optional() });
  const read = event.safeParse(await readJsonFile(path));
  if (read.success) return read.data;
  throw new Error(`${path} is not an event: ${read.error.issues[0]?.message ?? 'expected {event, data}'}.`);
}

async function drawn(flow: Flow, { file, log, out }: CommandLine): Promise<boolean> {
  const svg = await draw(flow, log === undefined ? undefined : await readLog(log, flow, file));
  if (out === undefined) process.stdout.write(svg);
  else await writeFile(out, svg);
  return true;
}

async function readLog(path: string, flow: Flow, file: string) {
  const log = runLog.safeParse(await readJsonFile(path));
  if (!log.success) throw new Error(`${path} is not the result of a run: expected {logs: […]}.`);
  const strange = strangeNode(graphOf(flow), log.data);
  if (strange === undefined) return log.data;
  throw new Error(
    `${path} is the log of another flow: it has the node "${strange}", and ${file} has none of that name.`,
  );
}
