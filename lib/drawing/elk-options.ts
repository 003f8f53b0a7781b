// The options of the layout library: https://eclipse.dev/elk/reference/options.html. Lengths are in pixels.
import type { LayoutOptions } from 'elkjs/lib/elk-api.js';
import type { Size } from './scene.ts';

const rows: LayoutOptions = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.edgeRouting': 'ORTHOGONAL',
  // An edge to a node that comes earlier in the list of nodes is drawn upwards.
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  // A node is centred above its successors; a label lies on its line, near the beginning of the line.
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

/** With this option, the time of a layout grows with the cube of the number of nodes in a row. */
const inWrittenOrder: LayoutOptions = { 'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES' };
const writtenOrderNodesMax = 100;

/**
 * Nodes are set in rows. Within a row they keep the order of the flow as far as this makes no lines cross.
 */
export const rowOptions = (nodes: number): LayoutOptions =>
  nodes > writtenOrderNodesMax ? rows : { ...rows, ...inWrittenOrder };

/** Blocks are set side by side in their order, and in several rows if there are many. */
export const packingOptions = (gap: number): LayoutOptions => ({
  'elk.algorithm': 'rectpacking',
  'elk.aspectRatio': '3',
  'elk.spacing.nodeNode': String(gap),
});

export const paddingOptions = (top: number, sides: number): LayoutOptions => ({
  'elk.padding': `[top=${top},left=${sides},bottom=${sides},right=${sides}]`,
});

export const minimumSize = ({ width, height }: Size): LayoutOptions => ({
  'elk.nodeSize.constraints': 'MINIMUM_SIZE',
  'elk.nodeSize.minimum': `(${width},${height})`,
});

/** Aligns a node with the top of its row, which another node may make much taller. */
export const alignTop: LayoutOptions = { 'elk.alignment': 'TOP' };

export const inlineLabel: LayoutOptions = { 'elk.edgeLabels.inline': 'true' };
