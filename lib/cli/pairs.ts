// `name=text` and `name:=json` of the command line.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { WrongCommand } from './wrong-command.ts';

/** Throws what a person can read, naming the option. A name that is given twice has its last value. */
export function pairs(option: string, given: readonly string[]): JsonObject {
  return Object.fromEntries(given.map((each) => pair(option, each)));
}

function pair(option: string, given: string): readonly [string, Json] {
  const match = /^([^=:]+)(:?=)(.*)$/s.exec(given);
  const [, name, sign, value] = match ?? [];
  if (name === undefined || value === undefined)
    throw new WrongCommand(`${option} ${given}: expected name=text or name:=json.`);
  return [name, sign === '=' ? value : parsed(option, name, value)];
}

function parsed(option: string, name: string, value: string): Json {
  try {
    return JSON.parse(value);
  } catch {
    throw new WrongCommand(`${option} ${name}: expected JSON after ":=", got ${value}`);
  }
}
