// Reads YAML 1.2 (core schema) as JSON: one document of objects with text keys, without tags and directives. The
// text is bounded before it is parsed, since each token costs a few microseconds.
import { Composer, type Document, Parser } from 'yaml';
import { type Locate, type Position, positionAt } from '#lib/json/position.ts';
import { createLocate } from './locate.ts';
import { explainCode } from './mistake-texts.ts';
import { type Anchors, toJson } from './to-json.ts';
import { requireBounded } from './tokens.ts';
import { YamlMistake } from './yaml-mistake.ts';

export type ReadYaml =
  | { readonly isYaml: true; readonly value: unknown; readonly locate: Locate }
  | { readonly isYaml: false; readonly reason: string; readonly position: Position };

/** The reason does not quote the text, which may hold a secret. */
export function readYaml(text: string): ReadYaml {
  try {
    requireBounded(text);
    const root = parseDocument(text).contents;
    const anchors: Anchors = new Map();
    const value = toJson(root, anchors);
    return { isYaml: true, value, locate: createLocate(text, root, anchors) };
  } catch (error) {
    if (!(error instanceof YamlMistake)) throw error;
    return { isYaml: false, reason: error.message, position: positionAt(text, error.offset) };
  }
}

/** Duplicate keys are found by `toJson`: the package compares each key with all others. */
const options = {
  version: '1.2',
  schema: 'core',
  uniqueKeys: false,
  stringKeys: true,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

function parseDocument(text: string): Document.Parsed {
  const documents = withoutStacks(() => [
    ...new Composer(options).compose(new Parser().parse(text), true, text.length),
  ]);
  const [document, another] = documents;
  if (!document) throw new YamlMistake('it is empty', 0);
  const [mistake] = document.errors;
  if (mistake) throw new YamlMistake(explainCode(mistake.code), mistake.pos[0]);
  if (another) throw new YamlMistake('it has more than one document', another.range[0]);
  return document as Document.Parsed;
}

/** The package makes an error for each mistake, up to one for each token; their stacks would take most of the time. */
function withoutStacks<T>(parse: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) throw new YamlMistake('it is nested too deep', 0);
    throw error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
