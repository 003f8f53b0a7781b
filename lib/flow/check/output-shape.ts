// The members that the output of each node type can have. The output of a type that is not listed comes from outside,
// or is not known before the run.
import type { JsonObject } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import { listAssigned } from '../agent/agent.ts';
import { type FlowNode, hasNext } from '../definition/node-types.ts';
import type { ReadBlock, ReadNode } from './read-nodes.ts';
import {
  closedShape,
  numberShape,
  type Shape,
  schemaShape,
  templateShape,
  textShape,
  unknownShape,
} from './value-shape.ts';

export type FindShape = (id: string) => Shape;

type NodeOfType<Name extends FlowNode['type']> = Extract<FlowNode, { readonly type: Name }>;

/** Returns the function that finds the shape of the output of a node. Each is made once. */
export function createShapes(nodes: ReadonlyMap<string, ReadNode>): FindShape {
  const known = new Map<string, Shape>();
  const blocks = new Map<string, ReadBlock>();
  for (const { block } of nodes.values()) blocks.set(block.path.join('/'), block);
  const findBlock = (path: ReadNode['path']) => blocks.get(path.join('/'));
  return (id) => {
    const read = nodes.get(id);
    const shape = known.get(id) ?? (read ? outputShape(read, findBlock) : unknownShape);
    known.set(id, shape);
    return shape;
  };
}

type FindBlock = (path: ReadNode['path']) => ReadBlock | undefined;

function outputShape({ node, path }: ReadNode, findBlock: FindBlock): Shape {
  switch (node?.type) {
    case 'llm':
      return node.output_schema ? schemaShape(node.output_schema) : textShape;
    case 'agent':
      return agentShape(node);
    case 'http':
      return httpShape(node);
    case 'a2a':
      return remoteAgentShape;
    case 'transform':
      return templateShape(node.output);
    case 'switch':
      return textShape;
    case 'parallel':
      return parallelShape(node, (name) => endShape(findBlock([...path, 'branches', name]), findBlock));
    case 'map':
      return mapShape(
        node,
        lazy(() => endShape(findBlock([...path, 'body']), findBlock)),
      );
    case 'ask':
      if (node.schema) return schemaShape(node.schema);
      return node.choices ? textShape : unknownShape;
    case 'store':
      return node.get === undefined ? closedShape({ version: unknownShape }) : storedShape;
    case 'wait':
      return node.event === undefined ? closedShape({ until: textShape }, 'until') : eventShape(node.schema);
    default:
      return unknownShape;
  }
}

const storedShape = closedShape(
  { found: { kind: 'boolean' }, value: unknownShape, version: unknownShape },
  'value',
);

const eventShape = (data: JsonObject | undefined): Shape =>
  closedShape(
    {
      event: textShape,
      key: textShape,
      id: textShape,
      data: data ? schemaShape(data) : unknownShape,
      received_at: textShape,
    },
    'data',
  );

function httpShape(node: NodeOfType<'http'>): Shape {
  const head = { status: numberShape, headers: headersShape(node) };
  if (node.save === undefined) return closedShape({ ...head, body: bodyShape(node) }, 'body');
  return closedShape({ ...head, file: fileShape, ...(node.accept && { body: unknownShape }) }, 'file');
}

/** Names of headers are in lower case, and `set-cookie` is there only if it is asked for. */
function headersShape({ response_headers: asked }: NodeOfType<'http'>): Shape {
  const names = asked?.map((name) => name.toLowerCase());
  const canHave = (name: string) =>
    name === name.toLowerCase() && (names ? names.includes(name) : name !== 'set-cookie');
  return {
    kind: 'object',
    find: (name) => (canHave(name) ? unknownShape : undefined),
    names: () => names ?? [],
    isAlwaysThere: () => false,
    cure: (name) =>
      name === name.toLowerCase()
        ? `"${name}" in \`response_headers\``
        : `"${name.toLowerCase()}", because names of headers are in lower case`,
  };
}

const fileShape = closedShape(
  { file: textShape, name: textShape, media_type: textShape, bytes: numberShape },
  'file',
);

/** An accepted answer other than 2xx is JSON or text, whatever is asked for. */
function bodyShape({ response, select, accept }: NodeOfType<'http'>): Shape {
  if (select !== undefined || accept) return unknownShape;
  if (response === 'text') return textShape;
  return response === 'base64' ? bytesShape : unknownShape;
}

const bytesShape = closedShape({ base64: textShape, media_type: textShape, size: numberShape }, 'base64');

const remoteAgentShape = closedShape(
  { text: textShape, data: unknownShape, task_id: unknownShape, context_id: unknownShape, state: textShape },
  'text',
);

function agentShape({ output_schema, capture = {}, tools = [], agents = [] }: NodeOfType<'agent'>): Shape {
  // The result of a tool that ends the agent has a shape of its own.
  const schema = [...tools, ...agents].some(({ ends }) => ends) ? undefined : output_schema;
  const hasKnowledge = [{ tools }, ...agents].some((one) => one.tools?.some(({ knowledge }) => knowledge));
  const assigned = listAssigned(tools, agents).map((name) => [name, unknownShape] as const);
  const captured = Object.entries(capture).map(([name, declared]) => [name, schemaShape(declared.schema)]);
  return closedShape(
    {
      text: textShape,
      data: schema ? schemaShape(schema) : unknownShape,
      captured: closedShape(Object.fromEntries([...assigned, ...captured]), undefined, () => true),
      turns: numberShape,
      finish_reason: textShape,
      ...(hasKnowledge && { citations: unknownShape }),
    },
    output_schema ? 'data' : 'text',
  );
}

function parallelShape(
  { join = 'all', branches }: NodeOfType<'parallel'>,
  branchShape: (name: string) => Shape,
): Shape {
  if (join === 'first') return closedShape({ branch: textShape, output: unknownShape }, 'output');
  const outputs = Object.keys(branches).map((name) => {
    const output = branchShape(name);
    return [name, join === 'settled' ? settledShape(output) : output];
  });
  return closedShape(Object.fromEntries(outputs));
}

const settledShape = (output: Shape): Shape =>
  closedShape({ status: textShape, output, error: unknownShape }, 'output', (name) => name !== 'status');

/** An item that failed and is collected has another output. */
const mapShape = ({ on_error: onError }: NodeOfType<'map'>, bodyShape: () => Shape): Shape => ({
  kind: 'list',
  item: () => (onError === 'collect' ? unknownShape : bodyShape()),
});

/** Of a scope that ends at one node only: the output of that node. */
function endShape(block: ReadBlock | undefined, findBlock: FindBlock): Shape {
  const ends = [...(block?.nodes.values() ?? [])].filter(
    ({ node }) => node && hasNext(node.type) && !('next' in node),
  );
  const [end] = ends;
  return end && ends.length === 1 ? outputShape(end, findBlock) : unknownShape;
}
