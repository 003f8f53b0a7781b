// `npm run flow -- <command> FILE`: checks, tests, runs and draws a flow in the terminal, without the service.
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import type { Flow } from '#lib/flow/flow.ts';
import { limits } from '#lib/flow/limits.ts';
import { testFlow } from '#lib/flow/testing/test-flow.ts';
import { jsonObject } from '#lib/json.ts';
import { draw } from '#lib/local/drawing/draw.ts';
import { runLog } from '#lib/local/drawing/taken.ts';
import { createAsk } from '#lib/local/terminal/answers.ts';
import { openOutside } from '#lib/local/terminal/outside.ts';
import { pairs } from '#lib/local/terminal/pairs.ts';
import { printTests } from '#lib/local/terminal/print-tests.ts';
import { createProgress } from '#lib/local/terminal/progress.ts';
import { readCheckedFlow, readJsonFile } from '#lib/local/terminal/read-flow.ts';
import { runFlowHere } from '#lib/local/terminal/run-flow-here.ts';
import { clock } from '#lib/run/clock.ts';

const usage = `Usage: npm run flow -- check FILE
       npm run flow -- test FILE [--env name=value]
       npm run flow -- run FILE [--message <text>] [options]
       npm run flow -- draw FILE [--log <result.json>] [-o <out.svg>]

  check   says every mistake in the flow, with its place
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

const commands = { check, test, run, draw: drawn } as const;

const { values, positionals } = readArguments();
const [name = '', file, ...more] = positionals;
const command = Object.entries(commands).find(([known]) => known === name)?.[1];
if (!command || file === undefined || more.length > 0)
  refuse(`Expected one of ${Object.keys(commands).join(', ')}, and a file.`);

try {
  const flow = await readCheckedFlow(file);
  process.exitCode = flow && (await command(flow)) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function check({ name, nodes }: Flow): boolean {
  console.log(`"${name}" is a valid flow of ${Object.keys(nodes).length} nodes.`);
  return true;
}

async function test(flow: Flow): Promise<boolean> {
  const report = await testFlow(flow, { clock, env: pairs('--env', values.env), timeoutMs: limits.testsMs });
  printTests(report);
  return report.passed;
}

async function run(flow: Flow): Promise<boolean> {
  const event = values.event === undefined ? undefined : await readEvent(values.event);
  const input = {
    message: values.message,
    user_variables: pairs('--var', values.var),
    ...(event && { event }),
  };
  const outside = await openOutside(values['allow-private']);
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  try {
    if (outside.isScripted) console.error('No MODELS in the environment: the scripted demo model answers.');
    const { logs, ...result } = await runFlowHere(flow, {
      ...{ runId: randomUUID(), input, env: pairs('--env', values.env), outside: outside.ports },
      progress: createProgress((text) => process.stderr.write(text)),
      ask: createAsk(values.answer, process.stdin.isTTY),
      signal: interrupted.signal,
    });
    if (values.log !== undefined)
      await writeFile(values.log, `${JSON.stringify({ ...result, logs }, undefined, 2)}\n`);
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

async function drawn(flow: Flow): Promise<boolean> {
  const log = values.log === undefined ? undefined : runLog.safeParse(await readJsonFile(values.log));
  if (log && !log.success) throw new Error(`${values.log} is not the result of a run: expected {logs: […]}.`);
  const svg = await draw(flow, log?.data);
  if (values.out === undefined) process.stdout.write(svg);
  else await writeFile(values.out, svg);
  return true;
}

function readArguments() {
  const text = { type: 'string' } as const;
  const texts = { type: 'string', multiple: true, default: [] as string[] } as const;
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        message: { ...text, default: '' },
        var: texts,
        event: text,
        env: texts,
        answer: texts,
        'allow-private': texts,
        log: text,
        out: { ...text, short: 'o' },
      },
    });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(message: string): never {
  console.error(`${message}\n\n${usage}`);
  process.exit(2);
}
