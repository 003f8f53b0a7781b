// Whether a run may stop at a node for an answer or a time. Of a node with nodes inside it, those are asked one by one.
import { requireType } from './compile.ts';
import type { FlowNode } from './node-types.ts';

export const mayPause = (node: FlowNode): boolean => requireType(node).pauses?.(node) === true;
