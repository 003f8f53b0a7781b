// Reads a file that people write, by its extension: JSON, JSON with comments, YAML, or a program that builds a flow.
// Errors name the file, the position and what is wrong.
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import { type RepeatedName, repeatedNames } from '#lib/json/duplicate-keys.ts';
import {
  createJsonLocate,
  explainJsonMistake,
  findJsonMistake,
  type JsonMistake,
  listJsonMembers,
} from '#lib/json/json-positions.ts';
import { type Locate, type Position, positionAt } from '#lib/json/position.ts';
import { readYaml } from '#lib/yaml/read-yaml.ts';
import { fileFailure } from './file-failure.ts';
import { importFlow } from './import-flow.ts';

export interface ReadDocument {
  readonly value: unknown;
  readonly locate: Locate;
  /** Names that are used twice in an object. In YAML they are an error. */
  readonly repeated: readonly RepeatedName[];
}

export async function readDocument(file: string): Promise<ReadDocument> {
  const extension = extname(file).toLowerCase();
  if (programs.has(extension))
    return { value: await importFlow(file), locate: () => undefined, repeated: [] };
  const text = await readText(file);
  const read = readers[extension] ?? readPlainJson;
  return read(file, text);
}

type Read = (file: string, text: string) => ReadDocument;

/** Errors name the file and what is wrong with it. */
export const readJsonFile = async (file: string): Promise<unknown> => parse(file, await readText(file));

/** Without the byte order mark that some editors write (RFC 8259, section 8.1). */
async function readText(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw fileFailure(file, 'read', error);
  });
  return text.startsWith('\u{feff}') ? text.slice(1) : text;
}

function parse(file: string, text: string): unknown {
  if (text.trim() === '') throw new Error(`${file} is empty: expected JSON.`);
  try {
    return JSON.parse(text);
  } catch (error) {
    const mistake = findJsonMistake(text);
    if (mistake) throw mistakeAt(file, mistake, 'JSON');
    throw new Error(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const mistakeAt = (file: string, { position, reason }: JsonMistake, format: string): Error =>
  new Error(`${formatPosition(file, position)} is not ${format}: ${reason}`);

const readPlainJson: Read = (file, text) => ({
  value: parse(file, text),
  locate: createJsonLocate(text),
  repeated: repeatedNames(text),
});

const readJsonWithComments: Read = (file, text) => {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) throw mistakeAt(file, explainJsonMistake(text, error), 'JSON with comments');
  if (!tree) throw new Error(`${file} is empty: expected JSON with comments.`);
  const repeated: RepeatedName[] = [];
  const value = toValue(tree, [], { text, repeated });
  return { value, locate: createJsonLocate(text, tree), repeated };
};

const readYamlText: Read = (file, text) => {
  if (text.trim() === '') throw new Error(`${file} is empty: expected YAML.`);
  const read = readYaml(text);
  if (read.isYaml) return { ...read, repeated: [] };
  const what = `cannot be read as YAML: ${read.reason}`;
  throw new Error(`${formatPosition(file, read.position)} ${what}.`);
};

const readers: Readonly<Record<string, Read>> = {
  '.jsonc': readJsonWithComments,
  '.yaml': readYamlText,
  '.yml': readYamlText,
};

const programs: ReadonlySet<string> = new Set(['.ts', '.mts', '.js', '.mjs']);

/** As terminals and editors recognise it. */
export const formatPosition = (file: string, { line, column }: Position): string =>
  `${file}:${line}:${column}`;

interface Finding {
  readonly text: string;
  readonly repeated: RepeatedName[];
}

function toValue(node: Node, path: readonly (string | number)[], finding: Finding): unknown {
  const { type, children = [], value } = node;
  if (type === 'array') return children.map((child, index) => toValue(child, [...path, index], finding));
  if (type !== 'object') return value;
  const members = new Map<string, unknown>();
  for (const [name, member] of children.flatMap(listJsonMembers)) {
    const memberPath = [...path, String(name.value)];
    if (members.has(String(name.value)))
      finding.repeated.push({ path: memberPath, line: positionAt(finding.text, name.offset).line });
    members.set(String(name.value), toValue(member, memberPath, finding));
  }
  return Object.fromEntries(members);
}
