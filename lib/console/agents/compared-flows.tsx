// The flows of two builds as one picture, with the nodes and edges that differ.
import { useMemo } from 'react';
import { readGraph } from '#lib/drawing/graph.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { useBuild } from '../api/use-build.ts';
import { Failure, Loading } from '../parts/list-state.tsx';
import { Panel } from '../parts/page.tsx';
import { ExploredFlow } from '../picture/explored-flow.tsx';
import { markChanges, mergeGraphs } from './compare-graph.ts';
import { words } from './words.ts';

export function ComparedFlows({ from, to }: { from: string; to: string }) {
  const [before, now] = [useBuild(from), useBuild(to)];
  const flows = [now.data?.row.flow, before.data?.row.flow] as const;
  const [nowFlow, beforeFlow] = flows;
  const compared = useMemo(
    () => nowFlow && beforeFlow && compare(beforeFlow, nowFlow),
    [nowFlow, beforeFlow],
  );
  const failed = [before, now].find(({ error }) => error);
  return (
    <Panel title={words.comparedFlows}>
      {failed && <Failure error={failed.error} onRetry={() => void failed.refetch()} />}
      {!failed && (before.isPending || now.isPending) && <Loading />}
      {compared && (
        <ExploredFlow
          graph={compared.graph}
          marks={compared.marks}
          flows={flows.filter((flow) => flow !== undefined)}
        />
      )}
    </Panel>
  );
}

function compare(from: JsonObject, to: JsonObject) {
  const [was, now] = [readGraph(from), readGraph(to)];
  if (!was || !now) return undefined;
  const graph = mergeGraphs(was, now);
  return { graph, marks: markChanges(graph, from, to, [was, now]) };
}
