// The flow of a build: as a picture, or as a list.
import { useMemo } from 'react';
import { readGraph } from '#lib/drawing/graph.ts';
import { useBuild } from '../api/use-build.ts';
import { Failure, Loading } from '../parts/list-state.tsx';
import { Panel } from '../parts/page.tsx';
import { ExploredFlow } from '../picture/explored-flow.tsx';
import { words } from './words.ts';

export function FlowView({ id }: { id: string }) {
  const build = useBuild(id);
  const flow = build.data?.row.flow;
  const graph = useMemo(() => flow && readGraph(flow), [flow]);
  return (
    <Panel title={words.flow}>
      {build.error && <Failure error={build.error} onRetry={() => void build.refetch()} />}
      {build.isPending && <Loading />}
      {flow && graph && <ExploredFlow graph={graph} flows={[flow]} />}
    </Panel>
  );
}
