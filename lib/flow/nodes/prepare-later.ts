// Node types whose code is loaded with the first flow that has such a node, since each byte makes cold starts longer.
import type { LazyModule } from '#lib/lazy.ts';
import type { RunNode } from '../engine/node-context.ts';
import type { Surroundings } from './node-type.ts';

interface NodeModule<Node> {
  readonly prepareRun: (node: Node, around: Surroundings) => RunNode;
}

/** `prepare` of such a type. A node that runs before its module is loaded waits for it. */
export const prepareLater =
  <Node>(module: LazyModule<NodeModule<Node>>) =>
  (node: Node, around: Surroundings): RunNode => {
    let run: RunNode | undefined;
    return async (context) => {
      const { prepareRun } = module.loaded() ?? (await module.load());
      run ??= prepareRun(node, around);
      return await run(context);
    };
  };
