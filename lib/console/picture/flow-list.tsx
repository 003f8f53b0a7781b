// A flow as a list: its nodes in reading order, what each consists of, and where it leads. It has what the picture has.
import type { Graph, GraphEdge, GraphNode } from '#lib/drawing/graph.ts';
import { readingOrder } from '#lib/drawing/reading-order.ts';
import { Icon } from '../parts/icon.tsx';
import statuses from '../parts/status.module.css';
import styles from './flow-list.module.css';
import type { Marks, NodeMark } from './marks.ts';
import { words } from './words.ts';

interface FlowListProps {
  readonly graph: Graph;
  readonly label: string;
  readonly marks: Marks;
  readonly chosen: string | undefined;
  readonly onOpen: (id: string) => void;
}

export function FlowList({ graph, label, ...shared }: FlowListProps) {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const edges = Map.groupBy(graph.edges, ({ from }) => from);
  return (
    <ol className={styles.steps} aria-label={label}>
      {readingOrder(graph).ids.flatMap((id) => {
        const node = nodes.get(id);
        return node ? [<Step key={id} node={node} edges={edges.get(id) ?? []} {...shared} />] : [];
      })}
    </ol>
  );
}

type StepProps = Omit<FlowListProps, 'graph' | 'label'> & {
  readonly node: GraphNode;
  readonly edges: readonly GraphEdge[];
};

const Step = ({ node, edges, ...shared }: StepProps) => (
  <li className={`${styles.step} ${node.id === shared.chosen ? styles.chosen : ''}`}>
    <p className={styles.head}>
      <button type="button" className={styles.title} onClick={() => shared.onOpen(node.id)}>
        {node.title ?? node.id}
      </button>{' '}
      <span className={styles.soft}>
        {node.type} · <code>{node.id}</code>
      </span>
      <Mark mark={shared.marks.nodes.get(node.id)} />
    </p>
    {node.parts.length > 0 && (
      <ul className={styles.parts} aria-label={words.parts}>
        {node.parts.map((part) => (
          <li key={part}>{part}</li>
        ))}
      </ul>
    )}
    {edges.length > 0 && (
      <ul className={styles.edges} aria-label={words.leadsTo}>
        {edges.map(({ to, kind, label }) => (
          <li key={`${kind} ${to} ${label}`}>
            → <code>{to}</code>
            {kind !== 'next' && <span className={styles.soft}> {words.edge(kind, label)}</span>}
          </li>
        ))}
      </ul>
    )}
    {node.inside.map((block) => (
      <div key={block.name} className={styles.block}>
        <p className={styles.soft}>{block.name}</p>
        <FlowList graph={block.graph} label={block.name} {...shared} />
      </div>
    ))}
  </li>
);

const Mark = ({ mark }: { mark: NodeMark | undefined }) =>
  mark && (
    <span className={`${statuses.status} ${statuses[mark.tone]}`}>
      <Icon name={mark.icon} size={14} />
      {mark.label}
    </span>
  );
