// What a picture shows of its nodes and edges besides the flow: the states of a run, or the changes between two builds.
import type { DrawnEdge } from '#lib/drawing/edges.ts';
import { edgeKey } from '#lib/drawing/executed-path.ts';
import type { GraphEdge } from '#lib/drawing/graph.ts';

export interface NodeMark {
  /** For those who do not see the picture, such as `Completed, 3 times, 1.2 s`. */
  readonly label: string;
  /** In the picture, beside the icon. */
  readonly text: string;
  readonly tone: 'good' | 'bad' | 'wait' | 'busy' | 'idle';
  /** A name of lib/console/parts/icon.tsx. */
  readonly icon:
    | 'done'
    | 'failed'
    | 'working'
    | 'question'
    | 'lock'
    | 'canceled'
    | 'added'
    | 'removed'
    | 'changed'
    | 'warning';
}

export type EdgeMark = 'taken' | 'added' | 'removed';

export interface Marks {
  /** By the id of the node. */
  readonly nodes: ReadonlyMap<string, NodeMark>;
  /** Keys as `markedEdge` forms them. */
  readonly edges: ReadonlyMap<string, EdgeMark>;
  /** Of nodes without a mark, where that tells something. */
  readonly unmarked?: string;
}

export const noMarks: Marks = { nodes: new Map(), edges: new Map() };

export const markedEdge = ({ from, to, kind }: Pick<GraphEdge | DrawnEdge, 'from' | 'to' | 'kind'>): string =>
  edgeKey(from, to, kind === 'catch');
