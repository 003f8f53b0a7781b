// What the layout library is told, in its own words: https://eclipse.dev/elk/reference/options.html. Lengths are pixels.
import type { LayoutOptions } from 'elkjs/lib/elk-api.js';
import type { Size } from './scene.ts';

const rows: LayoutOptions = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.edgeRouting': 'ORTHOGONAL',
  // What leads to a node that was given to the library before it leads back, upwards.
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  // A node stands above the middle of those it leads to, a label on its line and near where that begins.
  'elk.layered.nodePlacement.bk.fixedAlignment': 'BALANCED',
  'elk.layered.edgeLabels.centerLabelPlacementStrategy': 'TAIL_LAYER',
  'elk.spacing.nodeNode': '32',
  'elk.spacing.edgeNode': '16',
  'elk.spacing.edgeEdge': '12',
  'elk.spacing.nodeSelfLoop': '16',
  'elk.layered.spacing.nodeNodeBetweenLayers': '30',
  'elk.layered.spacing.edgeNodeBetweenLayers': '16',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '10',
};

/** The library keeps to it in a time that grows with the cube of a row. */
const inWrittenOrder: LayoutOptions = { 'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES' };
const writtenOrderNodesMax = 100;

/** Nodes in rows, those of a row in the order in which they are written as far as lines need not cross for it. */
export const inRows = (nodes: number): LayoutOptions =>
  nodes > writtenOrderNodesMax ? rows : { ...rows, ...inWrittenOrder };

/** Blocks beside each other in their order, and below when there are many. */
export const sideBySide = (gap: number): LayoutOptions => ({
  'elk.algorithm': 'rectpacking',
  'elk.aspectRatio': '3',
  'elk.spacing.nodeNode': String(gap),
});

export const padded = (top: number, sides: number): LayoutOptions => ({
  'elk.padding': `[top=${top},left=${sides},bottom=${sides},right=${sides}]`,
});

export const atLeast = ({ width, height }: Size): LayoutOptions => ({
  'elk.nodeSize.constraints': 'MINIMUM_SIZE',
  'elk.nodeSize.minimum': `(${width},${height})`,
});

/** In its row, where one may be much taller than the rest. */
export const atTheTop: LayoutOptions = { 'elk.alignment': 'TOP' };

export const onItsLine: LayoutOptions = { 'elk.edgeLabels.inline': 'true' };
