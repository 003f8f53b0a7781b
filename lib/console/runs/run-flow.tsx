// The picture of the flow with the way that the run took, in step with the timeline.
import { useMemo } from 'react';
import { findUnknownNode } from '#lib/drawing/executed-path.ts';
import { type Graph, readGraph } from '#lib/drawing/graph.ts';
import type { NodeVisit } from '#lib/run/visited-path.ts';
import { useBuild } from '../api/use-build.ts';
import { Failure, Loading } from '../parts/list-state.tsx';
import { FlowPicture } from '../picture/flow-picture.tsx';
import type { LogEntry } from './run-events.ts';
import { findTellingVisit, findVisited, markRun } from './run-marks.ts';
import styles from './run-page.module.css';
import { words } from './words.ts';

interface RunFlowProps {
  readonly build: string;
  readonly status: string;
  readonly visits: readonly NodeVisit[];
  readonly logs: readonly LogEntry[];
  readonly shown: NodeVisit | undefined;
  readonly onChoose: (key: string) => void;
}

export function RunFlow({ build, ...run }: RunFlowProps) {
  const { data, error, isPending, refetch } = useBuild(build);
  const flow = data?.row.flow;
  const graph = useMemo(() => flow && readGraph(flow), [flow]);
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Loading />;
  return graph && <RunPicture graph={graph} {...run} />;
}

function RunPicture({
  graph,
  status,
  visits,
  logs,
  shown,
  onChoose,
}: Omit<RunFlowProps, 'build'> & { graph: Graph }) {
  const marks = useMemo(() => markRun(graph, visits, logs, status), [graph, visits, logs, status]);
  const isOther = useMemo(() => findUnknownNode(graph, logs) !== undefined, [graph, logs]);
  const open = (id: string) => {
    const key = findTellingVisit(graph, visits, id);
    if (key !== undefined) onChoose(key);
  };
  return (
    <>
      {isOther && <p className={styles.note}>{words.otherFlow}</p>}
      <FlowPicture
        graph={graph}
        label={words.flowOfRun}
        marks={marks}
        chosen={findVisited(graph, shown)}
        onOpen={open}
      />
    </>
  );
}
