// Evaluates JavaScript in QuickJS, an interpreter in WebAssembly. Each call has an instance of its own, memory
// included, so that nothing of a call is left for the next, whatever the code did to the interpreter. The interpreter
// has no functions of the host: no network, files, timers or environment.
import { createHash } from 'node:crypto';
import loader from '@jitl/quickjs-wasmfile-release-sync/emscripten-module';
import { QuickJSFFI } from '@jitl/quickjs-wasmfile-release-sync/ffi';
import { newQuickJSWASMModuleFromVariant, type QuickJSContext } from 'quickjs-emscripten-core';
import { limits } from '#lib/flow/format/limits.ts';
import type { CodeCall, CodeFailure, CodeOutcome } from './code-call.ts';
import { harness, linesBefore, separator, tags } from './harness.ts';
import type { Interpreter } from './web-assembly.ts';

/** The package has other types for CommonJS than for ES modules, and bundlers may choose either. */
const newEmscriptenModule = typeof loader === 'function' ? loader : loader.default;

/**
 * The interpreter asks every 10,000 jumps, calls and steps of a regular expression whether it should stop. Three times
 * that takes about 1 ms. The number decides, and not a clock, so that the same code ends the same way everywhere.
 */
const interruptsPerMs = 3;
/**
 * Such as 740 calls of functions within one another. The stack of the thread has room for what the interpreter uses of
 * it meanwhile.
 */
const stackBytes = 128 * 1024;
const pageBytes = 64 * 1024;
/** What the interpreter starts with. */
const pagesMin = 256;
/** Its memory as a whole, which is fragmented. */
const pagesMax = (2 * limits.codeMemoryBytes) / pageBytes;
const messageCharsMax = 500;

/**
 * A memory that no call uses. Reused, because a new one of 16 MB for each call makes the garbage collector run every few
 * calls, which takes longer than the calls.
 */
let spare: WebAssembly.Memory | undefined;

/** All zeros, as a new one. An instance keeps nothing elsewhere, and starts anew in it. */
function takeMemory(): WebAssembly.Memory {
  const memory = spare ?? new WebAssembly.Memory({ initial: pagesMin, maximum: pagesMax });
  if (spare) new Uint8Array(memory.buffer).fill(0);
  spare = undefined;
  return memory;
}

/** One that has grown takes longer to clear than it is worth. */
function returnMemory(memory: WebAssembly.Memory): void {
  if (memory.buffer.byteLength === pagesMin * pageBytes) spare = memory;
}

export async function evaluateCode(interpreter: Interpreter, call: CodeCall): Promise<CodeOutcome> {
  const { code, input, timeoutMs } = call;
  const { context, memory, startClock } = await createContext(interpreter, call);
  let left = timeoutMs * interruptsPerMs;
  context.runtime.setInterruptHandler(() => --left < 0);
  startClock();
  try {
    const run = context.unwrapResult(context.evalCode(harness));
    const given = [context.newString(code), context.newString(input)];
    const result = context.callFunction(run, context.undefined, given);
    // In a generator, code can catch that it was interrupted.
    if (left < 0) return fail(timeoutFailure(timeoutMs));
    // All that the harness throws itself is that it is out of memory.
    return result.error ? fail(memoryFailure) : readAnswer(context.getString(result.value), memory);
  } catch (error) {
    return fail(left < 0 ? timeoutFailure(timeoutMs) : hostFailure(error));
  } finally {
    returnMemory(memory);
  }
}

const timeoutFailure = (timeoutMs: number): CodeFailure => ({
  reason: 'timeout',
  message: `The code takes more steps than ${timeoutMs} ms allow (timeout_ms).`,
});

const memoryFailure: CodeFailure = {
  reason: 'memory',
  message: `The code needs more than ${limits.codeMemoryBytes / 1024 / 1024} MB of memory.`,
};

const fail = (failure: CodeFailure): CodeOutcome => ({ failure });

/** What the host throws: its own stack overflow, or a fault of the interpreter. */
const hostFailure = (error: unknown): CodeFailure => ({
  reason: 'threw',
  message:
    error instanceof RangeError
      ? 'InternalError: stack overflow'
      : `The interpreter failed: ${error instanceof Error ? error.name : 'unknown'}.`,
});

interface Started {
  readonly context: QuickJSContext;
  readonly memory: WebAssembly.Memory;
  /** From now on the clock shows the time of the call. */
  readonly startClock: () => void;
}

async function createContext(interpreter: Interpreter, { now, seed }: CodeCall): Promise<Started> {
  // The interpreter seeds its random numbers with the time at which the context is created.
  let time = numberFrom(seed);
  const memory = takeMemory();
  const engine = await newQuickJSWASMModuleFromVariant({
    type: 'sync',
    importFFI: async () => QuickJSFFI,
    importModuleLoader: async () => () => startInstance(interpreter, memory, () => time),
  });
  const runtime = engine.newRuntime({
    memoryLimitBytes: limits.codeMemoryBytes,
    maxStackSizeBytes: stackBytes,
  });
  const context = runtime.newContext();
  const startClock = () => {
    time = now;
  };
  return { context, memory, startClock };
}

const startInstance = (interpreter: Interpreter, memory: WebAssembly.Memory, now: () => number) =>
  newEmscriptenModule({
    wasmMemory: memory,
    instantiateWasm: (imports, onInstance) => {
      const own = { ...imports.a, ...clockImports(memory, now) };
      const instance = new WebAssembly.Instance(interpreter, { a: own });
      onInstance(instance);
      return instance.exports;
    },
  });

/**
 * The imports of the interpreter that read the clock and the time zone of the machine, by the names that the build of
 * this version gives them (a test tells if another version has others): the current time, and the local time, which
 * here is UTC.
 */
const clockImports = (memory: WebAssembly.Memory, now: () => number) => ({
  p: now,
  m: (_time: bigint, at: number) => void new Int32Array(memory.buffer, at, 11).fill(0),
});

/** 48 bits. */
const numberFrom = (seed: string): number => createHash('sha256').update(seed).digest().readUIntBE(0, 6);

/** Parts of it are texts of the code, of any length. */
function readAnswer(answer: string, memory: WebAssembly.Memory): CodeOutcome {
  const text = answer.slice(1);
  switch (answer[0]) {
    case tags.output:
      return text.length <= limits.variableBytes ? { json: text } : fail(tooLarge);
    case tags.invalidOutput:
      return fail({ reason: 'invalid_output', message: `The code returned no JSON. ${cut(text)}.` });
    case tags.syntax:
      return fail({ reason: 'syntax', message: describe(text) });
    case tags.threw:
      return fail({ reason: 'threw', message: describe(text) });
    case tags.threwNull:
      // The interpreter throws null if there is no memory for an error, and so may the code.
      return fail(isUsedUp(memory) ? memoryFailure : { reason: 'threw', message: 'null' });
    default:
      return fail(memoryFailure);
  }
}

const isUsedUp = ({ buffer }: WebAssembly.Memory): boolean => buffer.byteLength > limits.codeMemoryBytes;

const tooLarge: CodeFailure = {
  reason: 'too_large',
  message: `output: expected at most ${limits.variableBytes} bytes of JSON.`,
};

/** The message of an error, and the innermost line of the code that is in its stack. */
function describe(text: string): string {
  const [message = '', stack = ''] = text.split(separator, 2);
  const [, line = '', column = ''] = /<input>:(\d{1,9}):(\d{1,9})/.exec(stack.slice(0, 10_000)) ?? [];
  const place = line === '' ? '' : `line ${Math.max(1, Number(line) - linesBefore)}, column ${column}: `;
  return cut(`${place}${message}`);
}

const cut = (text: string): string =>
  text.length <= messageCharsMax ? text : `${text.slice(0, messageCharsMax)}…`;
