// Mistakes in an agent that its schema does not find: tools of no kind or of two, names used twice, hosts and
// connections that are not declared.
import type { JsonObject } from '#lib/json/json.ts';
import { staticUrlProblem } from '../format/egress.ts';
import { someNames, suggesting } from '../format/some-names.ts';
import { connectionProblem } from '../nodes/connection-use.ts';
import { checkGuardrails } from '../nodes/guardrails-field.ts';
import { checkToolRequest } from '../nodes/http-request.ts';
import { checkModel } from '../nodes/model-choice.ts';
import type { CheckSurroundings, Report } from '../nodes/node-type.ts';
import { agentProblem } from '../nodes/remote-agent.ts';
import {
  type AgentFields,
  captureTool,
  findKinds,
  findToolName,
  type ToolFields,
  type ToolKind,
  toolKindNames,
  toolKinds,
} from './definition.ts';
import { type KnowledgeFields, searchRequest } from './knowledge.ts';

type TimedFields = { readonly timeout_seconds?: number | undefined };
type AgentNode = AgentFields & TimedFields;

export function checkAgent(agent: AgentNode, around: CheckSurroundings, report: Report): void {
  const { tools = [], agents = [], capture } = agent;
  checkModel(agent, around, report);
  checkGuardrails(agent, around, report);
  checkSchema(agent.output_schema, around, at(report, 'output_schema'));
  for (const [name, { schema }] of Object.entries(capture ?? {}))
    checkSchema(schema, around, at(report, 'capture', name, 'schema'));
  checkTools(tools, around, at(report, 'tools'));
  for (const [index, child] of agents.entries()) {
    const inChild = at(report, 'agents', index);
    checkModel(child, around, inChild);
    checkTools(child.tools ?? [], around, at(inChild, 'tools'));
    checkNames((child.tools ?? []).map(findToolName), [], at(inChild, 'tools'));
  }
  const names = tools.map(findToolName);
  const reserved = capture ? [captureTool] : [];
  checkNames(names, reserved, at(report, 'tools'));
  checkNames(
    agents.map(({ name }) => name),
    [...reserved, ...names.flatMap((name) => name ?? [])],
    at(report, 'agents'),
  );
  checkChoice(agent, capture ? [captureTool] : [], around, report);
  for (const [index, child] of agents.entries()) checkChoice(child, [], around, at(report, 'agents', index));
  checkAssigned(agent, report);
  checkTimes(agent, report);
}

/** The tools of a server are not known before the agent runs. */
function checkChoice(
  {
    tools = [],
    agents = [],
    tool_choice: choice = 'auto',
  }: Pick<AgentFields, 'tools' | 'agents' | 'tool_choice'>,
  others: readonly string[],
  { findNearName }: CheckSurroundings,
  report: Report,
): void {
  if (choice === 'auto' || choice === 'none') return;
  const names = [
    ...tools.flatMap((tool) => findToolName(tool) ?? []),
    ...agents.map(({ name }) => name),
    ...others,
  ];
  const hasServer = tools.some(({ mcp }) => mcp !== undefined);
  if (hasServer || (choice === 'required' ? names.length > 0 : names.includes(choice.tool))) return;
  if (names.length === 0) {
    report(['tool_choice'], 'expected no `tool_choice`, because the agent has no tools');
    return;
  }
  const near = typeof choice === 'object' ? findNearName(choice.tool, names) : undefined;
  report(['tool_choice'], suggesting(near, `expected the name of a tool: one of ${someNames(names)}`));
}

/** A value has one origin. */
function checkAssigned({ tools = [], agents = [], capture = {} }: AgentFields, report: Report): void {
  const checkTools = (all: readonly ToolFields[], inside: Report) => {
    for (const [index, { assign = {} }] of all.entries())
      for (const name of Object.keys(assign))
        if (Object.hasOwn(capture, name))
          inside([index, 'assign', name], `expected a name that \`capture\` does not have`);
  };
  checkTools(tools, at(report, 'tools'));
  for (const [index, child] of agents.entries())
    checkTools(child.tools ?? [], at(report, 'agents', index, 'tools'));
}

/** A time limit that can never be reached is a mistake. */
function checkTimes({ tools = [], agents = [], timeout_seconds: max }: AgentNode, report: Report): void {
  for (const [index, tool] of tools.entries()) checkTime(tool, max, at(report, 'tools', index));
  for (const [index, child] of agents.entries()) {
    checkTime(child, max, at(report, 'agents', index));
    checkTimes({ ...child, timeout_seconds: child.timeout_seconds ?? max }, at(report, 'agents', index));
  }
}

function checkTime({ timeout_seconds: seconds }: TimedFields, max: number | undefined, report: Report): void {
  if (seconds !== undefined && max !== undefined && seconds > max)
    report(['timeout_seconds'], `expected at most ${max}, the time of the agent`);
}

const at =
  (report: Report, ...prefix: readonly (string | number)[]): Report =>
  (path, detail) =>
    report([...prefix, ...path], detail);

function checkNames(
  names: readonly (string | undefined)[],
  reserved: readonly string[],
  report: Report,
): void {
  const seen = new Set(reserved);
  for (const [index, name] of names.entries()) {
    if (name === undefined) continue;
    if (seen.has(name))
      report([index, 'name'], `expected a name that no other tool of the agent has, "${name}" is taken`);
    seen.add(name);
  }
}

function checkTools(tools: readonly ToolFields[], around: CheckSurroundings, report: Report): void {
  for (const [index, tool] of tools.entries()) {
    const [kind, other] = findKinds(tool);
    if (kind && other === undefined) checkTool(kind, tool, around, at(report, index));
    else report([index], `expected exactly one of ${toolKindNames.join(', ')}`);
  }
}

function checkTool(kind: ToolKind, tool: ToolFields, around: CheckSurroundings, report: Report): void {
  const { needs, takes } = toolKinds[kind];
  for (const field of needs) if (tool[field] === undefined) report([field], 'this field is required');
  const known: readonly string[] = [kind, ...needs, ...takes];
  for (const [field, value] of Object.entries(tool)) {
    if (value === undefined || known.includes(field)) continue;
    const expected = suggesting(around.findNearName(field, known), `expected one of ${known.join(', ')}`);
    report([field], `unknown field of a tool of kind ${kind}: ${expected}`);
  }
  if (tool.http) checkToolRequest(tool.http, around, at(report, 'http'));
  if (tool.knowledge) checkKnowledge(tool.knowledge, around, at(report, 'knowledge'));
  const address = tool.mcp ?? tool.a2a;
  const problem =
    tool.mcp === undefined
      ? tool.a2a && agentProblem(tool.a2a, around.egress)
      : staticUrlProblem(tool.mcp, around.egress);
  if (problem) report([kind], problem);
  const misuse = connectionProblem(tool.connection, address ?? '', around);
  if (misuse) report(['connection'], misuse);
  checkParameters(tool.parameters, around, at(report, 'parameters'));
  checkSchema(tool.ask_user?.schema, around, at(report, 'ask_user', 'schema'));
}

/** The host of a knowledge base follows from its region. */
function checkKnowledge(knowledge: KnowledgeFields, around: CheckSurroundings, report: Report): void {
  if (knowledge.http?.save !== undefined)
    report(['http', 'save'], 'expected no `save`: the passages are read from the response');
  if (knowledge.http) checkToolRequest(knowledge.http, around, at(report, 'http'));
  else
    checkToolRequest(searchRequest(knowledge), around, ([field], detail) =>
      report([field === 'connection' ? field : 'region'], detail),
    );
}

function checkParameters(
  parameters: JsonObject | undefined,
  around: CheckSurroundings,
  report: Report,
): void {
  if (!parameters) return;
  if (parameters.type !== 'object') report(['type'], 'expected "object": arguments have names');
  checkSchema(parameters, around, report);
}

function checkSchema(schema: JsonObject | undefined, around: CheckSurroundings, report: Report): void {
  for (const { path, detail } of around.schemaProblems(schema)) report(path, detail);
}
