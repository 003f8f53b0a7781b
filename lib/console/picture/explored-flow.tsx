// The picture of a flow with the definition of the node that was opened.
import { useState } from 'react';
import type { Graph } from '#lib/drawing/graph.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { findNode } from './find-node.ts';
import { FlowPicture } from './flow-picture.tsx';
import { type Marks, noMarks } from './marks.ts';
import styles from './node-details.module.css';
import { NodeDetails } from './node-details.tsx';
import { words } from './words.ts';

interface ExploredFlowProps {
  readonly graph: Graph;
  /** Where the nodes are looked up: the first document that has one. */
  readonly flows: readonly JsonObject[];
  readonly marks?: Marks;
}

export function ExploredFlow({ graph, flows, marks = noMarks }: ExploredFlowProps) {
  const [chosen, choose] = useState<string>();
  const flow = flows.find((each) => chosen !== undefined && findNode(each, chosen));
  return (
    <div className={`${styles.split} ${flow ? styles.withPanel : ''}`}>
      <FlowPicture graph={graph} label={words.nodes} marks={marks} chosen={chosen} onOpen={choose} />
      {chosen !== undefined && flow && (
        <NodeDetails id={chosen} flow={flow} onClose={() => choose(undefined)} />
      )}
    </div>
  );
}
