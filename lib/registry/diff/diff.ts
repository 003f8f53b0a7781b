// What differs between two builds: pure, over plain structures. What a change means to callers (`breaking`)
// is decided here, for the schemas of the flow in `narrows.ts`, and nowhere else.
import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { AgentCard } from '../row/agent-card.ts';
import type { Visibility } from '../row/stored-row.ts';
import type { BuildDiff, Change } from './build-diff.ts';
import { schemaChanges } from './schema-changes.ts';

export interface Build {
  /** As published; its URL, signatures and what the service sets for every agent are not compared. */
  readonly card: AgentCard;
  readonly visibility: Visibility;
  readonly flow: JsonObject;
  readonly egress: readonly string[];
  /** What the flow may call beside hosts, one line each. */
  readonly reaches: readonly string[];
  readonly env_variable: Readonly<Record<string, string>>;
  readonly tool_config: JsonObject;
}

/** Without `from` everything of `to` is added, and nothing can break. */
export function diffBuilds(from: Build | undefined, to: Build): Omit<BuildDiff, 'from' | 'to'> {
  const part = (name: string, build: Build | undefined) => asObject(build?.flow[name]);
  const of = (name: string, label: (value: Json) => string | undefined) =>
    changes(part(name, from), part(name, to), { label });
  const sections = {
    card: cardChanges(from, to),
    skills: skillChanges(from?.card, to.card),
    extensions: extensionChanges(from?.card, to.card),
    input_modes: modeChanges(from?.card.defaultInputModes, to.card.defaultInputModes),
    output_modes: modeChanges(from?.card.defaultOutputModes, to.card.defaultOutputModes),
    input: flowSchemaChanges('input', from, to),
    output: flowSchemaChanges('output', from, to),
    nodes: of('nodes', (node) => asText(asObject(node).type)),
    egress: changes(toSet(from?.egress), toSet(to.egress)),
    reaches: changes(toSet(from?.reaches), toSet(to.reaches)),
    models: of('models', modelName),
    connections: of('connections', (connection) => asText(asObject(connection).type)),
    env_variable: changes(from?.env_variable ?? {}, to.env_variable, { namesOnly: true }),
    tool_config: changes(from?.tool_config ?? {}, to.tool_config, { namesOnly: true }),
  };
  return {
    breaking: Object.values(sections).some((all) => all.some(({ breaking }) => breaking)),
    ...sections,
  };
}

interface ComparisonRules<T> {
  /** A short value to show; of objects without one the members that differ are listed. */
  readonly label?: (value: T) => string | undefined;
  /** Values may hold what is not for every reader. */
  readonly namesOnly?: boolean;
  readonly isBreaking?: (was: T | undefined, now: T | undefined) => boolean;
}

type Named<T> = Readonly<Record<string, T>>;

/** In the order of names, so that the same builds give the same diff. */
function changes<T>(from: Named<T>, to: Named<T>, rules: ComparisonRules<T> = {}): Change[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
  return names.flatMap((name) => {
    const was = Object.hasOwn(from, name) ? from[name] : undefined;
    const now = Object.hasOwn(to, name) ? to[name] : undefined;
    return isDeepStrictEqual(was, now) ? [] : [describeChange(name, was, now, rules)];
  });
}

function describeChange<T>(
  name: string,
  was: T | undefined,
  now: T | undefined,
  rules: ComparisonRules<T>,
): Change {
  const { label = () => undefined, namesOnly = false, isBreaking = () => false } = rules;
  const shown = {
    was: was === undefined ? undefined : label(was),
    now: now === undefined ? undefined : label(now),
  };
  const members = namesOnly ? [] : membersThatDiffer(was, now);
  return {
    name,
    change: was === undefined ? 'added' : now === undefined ? 'removed' : 'changed',
    breaking: isBreaking(was, now),
    ...(shown.was !== undefined && { was: shown.was }),
    ...(shown.now !== undefined && { now: shown.now }),
    ...(members.length > 0 && { members }),
  };
}

function membersThatDiffer(was: unknown, now: unknown): string[] {
  if (!isObject(was) || !isObject(now)) return [];
  const names = [...new Set([...Object.keys(was), ...Object.keys(now)])].sort();
  return names.filter((name) => !isDeepStrictEqual(was[name], now[name]));
}

const comparedMembers = [
  'name',
  'description',
  'version',
  'provider',
  'documentationUrl',
  'iconUrl',
] as const;

function cardChanges(from: Build | undefined, to: Build): Change[] {
  const isBreaking = (was: unknown, now: unknown) => was === 'public' && now === 'organization';
  return changes(cardMembers(from), cardMembers(to), { label: asText, isBreaking });
}

/** Members that are left out are no members here. */
function cardMembers(build: Build | undefined): Named<unknown> {
  if (!build) return {};
  const members = comparedMembers.map((name) => [name, build.card[name]] as const);
  return Object.fromEntries(
    [...members, ['visibility', build.visibility] as const].filter(([, value]) => value !== undefined),
  );
}

type Skill = AgentCard['skills'][number];

/** A skill without modes of its own has those of its card, so a change of these may change it too. */
function skillChanges(from: AgentCard | undefined, to: AgentCard): Change[] {
  const byId = (card: AgentCard | undefined) =>
    Object.fromEntries(
      (card?.skills ?? []).map((skill) => [
        skill.id,
        {
          ...skill,
          inputModes: skill.inputModes ?? card?.defaultInputModes,
          outputModes: skill.outputModes ?? card?.defaultOutputModes,
        },
      ]),
    );
  return changes(byId(from), byId(to), { label: () => undefined, isBreaking: breaksSkill });
}

const breaksSkill = (was: Skill | undefined, now: Skill | undefined): boolean =>
  was !== undefined &&
  (now === undefined ||
    losesAny(was.inputModes, now.inputModes) ||
    losesAny(was.outputModes, now.outputModes));

const losesAny = (was: readonly string[] = [], now: readonly string[] = []): boolean =>
  was.some((mode) => !now.includes(mode));

function extensionChanges(from: AgentCard | undefined, to: AgentCard): Change[] {
  const byUri = (card: AgentCard | undefined) =>
    Object.fromEntries((card?.capabilities.extensions ?? []).map((each) => [each.uri, each]));
  return changes(byUri(from), byUri(to), {
    label: () => undefined,
    isBreaking: (was, now) => from !== undefined && (!now || (now.required === true && !was?.required)),
  });
}

const modeChanges = (from: readonly string[] | undefined, to: readonly string[]): Change[] =>
  changes(toSet(from), toSet(to), { isBreaking: (_was, now) => now === undefined });

/** Nobody has called the first build, so that its schemas break no caller. */
function flowSchemaChanges(name: 'input' | 'output', from: Build | undefined, to: Build): Change[] {
  const [was, now] = [from?.flow[name], to.flow[name]];
  const found = schemaChanges(isJsonObject(was) ? was : undefined, isJsonObject(now) ? now : undefined, name);
  return from ? found : found.map((change) => ({ ...change, breaking: false }));
}

const toSet = (names: readonly string[] = []): Named<true> =>
  Object.fromEntries(names.map((name) => [name, true as const]));

function modelName(value: Json): string | undefined {
  const { provider, model } = asObject(value);
  return [provider, model].filter((each) => typeof each === 'string').join(' ') || undefined;
}

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const isObject = (value: unknown): value is Named<unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isJsonObject = (value: Json | undefined): value is JsonObject => isObject(value);
const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
