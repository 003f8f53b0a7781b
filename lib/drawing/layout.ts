// The layout in this process, by ELK. It is a large library, but the only one that routes lines around boxes of any size
// and lays out graphs inside nodes.
import elk from 'elkjs/lib/elk.bundled.js';
import type { Graph } from './graph.ts';
import { type PlacedGraph, placeGraph } from './place-graph.ts';

/** `notes` are short texts to show on nodes, by node id. */
export const layOut = (graph: Graph, notes?: ReadonlyMap<string, string>): Promise<PlacedGraph> =>
  placeGraph(graph, (each) => layoutEngine.layout(each), notes);

/** The library is a CommonJS module whose exports have a member `default`. */
const layoutEngine = new elk.default();
