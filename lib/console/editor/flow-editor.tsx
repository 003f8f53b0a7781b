// The text of a flow with its picture, its problems and its tests.
import { type ReactNode, useMemo, useRef, useState } from 'react';
import type { Graph } from '#lib/drawing/graph.ts';
import type { TestResult } from '#lib/flow/testing/report.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { Panel } from '../parts/page.tsx';
import { FlowPicture } from '../picture/flow-picture.tsx';
import styles from './editor.module.css';
import type { Problem } from './flow-text.ts';
import { markProblems, markTest, nodeOf, readDrawable } from './live-graph.ts';
import { NodePanel } from './node-panel.tsx';
import { pointerOfNode } from './node-pointer.ts';
import { ProblemList } from './problem-list.tsx';
import { TestPanel } from './test-panel.tsx';
import { FlowText, type TextFieldHandle } from './text-field.tsx';
import type { EditedFlow } from './use-edited-flow.ts';
import { words } from './words.ts';

interface FlowEditorProps {
  readonly edited: EditedFlow;
  readonly isReadOnly: boolean;
  /** The variables of the build, for the tests. */
  readonly env: JsonObject;
  readonly children: ReactNode;
}

export function FlowEditor({ edited, isReadOnly, env, children }: FlowEditorProps) {
  const { text, initial, edit, check, problems, ask, isValid } = edited;
  const field = useRef<TextFieldHandle>(null);
  const [test, showTest] = useState<TestResult>();
  const [isReady, setReady] = useState(false);
  const [chosen, choose] = useState<string>();
  const graph = useLiveGraph(check?.flow);
  const marks = useMemo(
    () => (test && graph ? markTest(graph, test) : markProblems(problems)),
    [test, graph, problems],
  );
  const openProblem = (problem: Problem) => {
    choose(nodeOf(problem.pointer));
    field.current?.goTo(problem);
  };
  const openNode = async (id: string) => {
    choose(id);
    const pointer = check?.flow && pointerOfNode(check.flow, id);
    if (pointer === undefined) return;
    const [found] = await ask('locate', { text, mistakes: [{ pointer, detail: '' }] });
    if (found) field.current?.goTo(found);
  };
  return (
    <div className={styles.columns}>
      <div className={styles.column}>
        <Panel title={words.text}>
          <p className={styles.note}>{words.textHint}</p>
          <FlowText
            ref={field}
            text={initial}
            isReadOnly={isReadOnly}
            problems={problems}
            onReady={() => setReady(true)}
            onChange={(next) => {
              showTest(undefined);
              edit(next);
            }}
          />
        </Panel>
        <ProblemList check={check} problems={problems} onOpen={openProblem} />
      </div>
      <div className={styles.column}>
        <Panel title={words.picture}>
          {graph ? (
            <FlowPicture
              graph={graph}
              label={words.nodes}
              marks={marks}
              chosen={chosen}
              onOpen={(id) => void openNode(id)}
            />
          ) : (
            <p className={styles.note}>{words.noPicture}</p>
          )}
        </Panel>
        <NodePanel
          text={text}
          checked={check?.flow}
          problems={problems}
          chosen={chosen}
          isReadOnly={isReadOnly || !isReady}
          onChoose={choose}
          onShow={(id) => void openNode(id)}
          onEdit={(edits) => field.current?.change(edits)}
        />
        <TestPanel text={text} isValid={isValid} env={env} ask={ask} shown={test} onShow={showTest} />
        {children}
      </div>
    </div>
  );
}

/** The last one that could be drawn, and the same as long as nothing of it changes. */
function useLiveGraph(flow: JsonObject | undefined): Graph | undefined {
  const last = useRef<Graph>(undefined);
  return useMemo(() => {
    const graph = flow && readDrawable(flow);
    if (graph && JSON.stringify(graph) !== JSON.stringify(last.current)) last.current = graph;
    return last.current;
  }, [flow]);
}
