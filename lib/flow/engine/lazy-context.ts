// The context of an attempt, whose parts are made when the node first uses one: most nodes of most flows only
// evaluate templates, and the functions of a whole context take longer to make than such a node takes to run.
import type { RenderAt } from '../expression/evaluation.ts';
import type { NodeContext } from './node-context.ts';

/** All but what templates need. */
export type ContextParts = Omit<NodeContext, 'at'>;

/** Typed as a record, so that a member that is missing here does not compile. */
const names: Readonly<Record<keyof ContextParts, true>> = {
  nodeId: true,
  key: true,
  idempotencyKey: true,
  memory: true,
  answer: true,
  isDue: true,
  attempt: true,
  taskPatienceMs: true,
  contexts: true,
  chain: true,
  isOver: true,
  now: true,
  hasConversation: true,
  left: true,
  model: true,
  http: true,
  findFile: true,
  mcpTools: true,
  mcpCall: true,
  agent: true,
  discover: true,
  readStored: true,
  writeStored: true,
  sleep: true,
  runCode: true,
  findFlow: true,
  reply: true,
  callerText: true,
  noteFallback: true,
  note: true,
  remember: true,
  enter: true,
  callFlow: true,
  ended: true,
  drop: true,
  within: true,
};

class LazyContext {
  readonly at: RenderAt;
  readonly #make: () => ContextParts;
  #made: ContextParts | undefined;

  constructor(at: RenderAt, make: () => ContextParts) {
    this.at = at;
    this.#make = make;
  }

  parts(): ContextParts {
    this.#made ??= this.#make();
    return this.#made;
  }
}

for (const name of Object.keys(names) as (keyof ContextParts)[]) {
  Object.defineProperty(LazyContext.prototype, name, {
    get(this: LazyContext) {
      return this.parts()[name];
    },
  });
}

/** Its members can be destructured, but not copied with a spread: they belong to the prototype. */
export const createLazyContext = (at: RenderAt, make: () => ContextParts): NodeContext =>
  new LazyContext(at, make) as LazyContext & ContextParts;
