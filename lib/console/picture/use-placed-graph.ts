// Lays a graph out in the worker.
import { useEffect, useState } from 'react';
import type { Graph } from '#lib/drawing/graph.ts';
import { type PlacedGraph, placeGraph } from '#lib/drawing/place-graph.ts';
import { layoutEngine } from './layout-worker.ts';

interface Layout {
  readonly graph: Graph;
  readonly placed?: PlacedGraph;
  readonly hasFailed?: boolean;
}

/**
 * Without `placed` until the first layout is computed; then the last one, with its own graph, until that of another
 * graph is there. Nothing is computed for a picture that nobody sees.
 */
export function usePlacedGraph(graph: Graph, isWanted: boolean): Layout {
  const [layout, setLayout] = useState<Layout>();
  const isKnown = layout?.graph === graph;
  useEffect(() => {
    if (!isWanted || isKnown) return undefined;
    let isCurrent = true;
    const show = (result: Omit<Layout, 'graph'>) => isCurrent && setLayout({ graph, ...result });
    placeGraph(graph, layoutEngine).then(
      (placed) => show({ placed }),
      () => show({ hasFailed: true }),
    );
    return () => {
      isCurrent = false;
    };
  }, [graph, isWanted, isKnown]);
  return layout ?? { graph };
}
