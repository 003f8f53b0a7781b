// Reads a flow from a program that builds it, in TypeScript or JavaScript: the module is run, and its export is taken.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The flow as JSON. Errors name the file and what is wrong. */
export async function importFlow(file: string): Promise<unknown> {
  const flow = selectFlow(file, await importModule(file));
  try {
    return flow.toJSON();
  } catch (error) {
    throw new Error(`${file}: ${readMessage(error)}`);
  }
}

async function importModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new Error(`${file} cannot be run: ${readMessage(error)}`);
  }
}

const readMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface BuiltFlow {
  toJSON(): unknown;
}

/** The default export, or else the only flow that is exported. */
function selectFlow(file: string, exported: Readonly<Record<string, unknown>>): BuiltFlow {
  if (isFlow(exported.default)) return exported.default;
  const flows = Object.entries(exported).flatMap(([name, value]) => (isFlow(value) ? [{ name, value }] : []));
  const [only, ...more] = flows;
  if (!only)
    throw new Error(`${file} exports no flow: expected one that flow({…}) of the builder has begun.`);
  if (more.length === 0) return only.value;
  const names = flows.map(({ name }) => name).join(', ');
  throw new Error(`${file} exports several flows (${names}): export one as default.`);
}

const isFlow = (value: unknown): value is BuiltFlow =>
  typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function';
