// The picture as SVG: the lines, and the nodes as buttons in reading order. Colours are those of the tokens, by classes.
import type { KeyboardEvent } from 'react';
import type { Graph, GraphNode } from '#lib/drawing/graph.ts';
import { linePath } from '#lib/drawing/line-path.ts';
import type { PlacedBox, PlacedGraph, PlacedLine, Point } from '#lib/drawing/place-graph.ts';
import { cutPart, typeLine } from '#lib/drawing/scene.ts';
import { sizes } from '#lib/drawing/sizes.ts';
import { findFamily } from '#lib/drawing/style.ts';
import { arrowHead } from './arrow-head.ts';
import { MarkPill } from './mark-pill.tsx';
import { type Marks, markedEdge, type NodeMark } from './marks.ts';
import { listInOrder } from './neighbours.ts';
import styles from './picture.module.css';

export interface PictureSvgProps {
  readonly graph: Graph;
  readonly placed: PlacedGraph;
  readonly zoom: number;
  readonly hasLabels: boolean;
  readonly label: string;
  readonly describedBy: string;
  readonly marks: Marks;
  readonly chosen: string | undefined;
  /** The node that Tab reaches. */
  readonly stop: string;
  readonly onOpen: (id: string) => void;
  readonly onKeyDown: (event: KeyboardEvent<SVGGElement>, id: string) => void;
  readonly onFocus: (id: string) => void;
}

/** Above the first row, for marks that stick out of their boxes. */
const top = 14;

export function PictureSvg(props: PictureSvgProps) {
  const { graph, placed, zoom, label, describedBy } = props;
  const order = new Map(listInOrder(graph).map(({ id }, index) => [id, index]));
  const [width, height] = [placed.width, placed.height + top];
  return (
    <svg
      role="group"
      aria-label={label}
      aria-describedby={describedBy}
      className={styles.picture}
      viewBox={`0 ${-top} ${width} ${height}`}
      width={width * zoom}
      height={height * zoom}
    >
      <Level {...props} order={order} />
    </svg>
  );
}

type LevelProps = PictureSvgProps & { readonly order: ReadonlyMap<string, number> };

/** One graph: its lines lie below its boxes, and the blocks inside a box above it. */
function Level({ placed, ...shared }: LevelProps) {
  const { dot, entry, lines, boxes } = placed;
  const position = ({ node }: PlacedBox) => shared.order.get(node.id) ?? 0;
  return (
    <>
      <circle
        className={styles.start}
        cx={dot.x + dot.width / 2}
        cy={dot.y + dot.height / 2}
        r={dot.width / 2}
      />
      <Line points={entry} look="" />
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a layout do not move.
        <Line key={index} points={line.points} look={lineLook(line, shared.marks)} />
      ))}
      {shared.hasLabels &&
        lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a layout do not move.
          <Label key={index} line={line} />
        ))}
      {boxes
        .toSorted((a, b) => position(a) - position(b))
        .map((box) => (
          <Box key={box.node.id} box={box} {...shared} />
        ))}
    </>
  );
}

function lineLook({ edge }: PlacedLine, { edges }: Marks): string {
  const mark = edges.get(markedEdge(edge));
  const isDashed = edge.kind === 'catch' || edge.kind === 'timeout' || edge.kind === 'visits';
  return [isDashed && 'dashed', mark].flatMap((name) => (name ? [styles[name]] : [])).join(' ');
}

function Line({ points, look }: { points: readonly Point[]; look: string }) {
  const head = arrowHead(points);
  return (
    <g className={`${styles.line} ${look}`}>
      <path className={styles.stroke} d={linePath(points)} />
      {head && <path className={styles.arrow} d={head} />}
    </g>
  );
}

/** The complete text is the tooltip, because the label may be cut. */
const Label = ({ line: { edge, label, labelBox } }: { line: PlacedLine }) =>
  label.length > 0 && (
    <g transform={`translate(${labelBox.x} ${labelBox.y})`}>
      <title>{edge.labels.join('\n')}</title>
      <rect className={styles.under} width={labelBox.width} height={labelBox.height} />
      {label.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two lines of a label can be equal.
        <text key={index} className={styles.label} x={labelBox.width / 2} y={12 + index * sizes.smallLine}>
          {text}
        </text>
      ))}
    </g>
  );

function Box({ box, ...shared }: Omit<LevelProps, 'placed'> & { readonly box: PlacedBox }) {
  const { node, inside, x, y, width, height } = box;
  const { marks, chosen, stop, onOpen, onKeyDown, onFocus } = shared;
  const mark = marks.nodes.get(node.id);
  const looks = [
    styles.box,
    styles[findFamily(node.type)],
    mark ? styles[mark.tone] : marks.unmarked !== undefined && styles.passed,
    node.id === chosen && styles.chosen,
  ];
  return (
    <g transform={`translate(${x} ${y})`}>
      <g className={looks.filter(Boolean).join(' ')}>
        <g
          role="button"
          aria-label={describeNode(node, mark, marks.unmarked)}
          aria-pressed={node.id === chosen}
          tabIndex={node.id === stop ? 0 : -1}
          data-node={node.id}
          className={styles.button}
          onClick={() => onOpen(node.id)}
          onKeyDown={(event) => onKeyDown(event, node.id)}
          onFocus={() => onFocus(node.id)}
        >
          <rect className={styles.card} width={width} height={height} rx="7" />
        </g>
        <Texts box={box} hasSmall={shared.hasLabels} />
        {mark && <MarkPill mark={mark} boxWidth={width} />}
      </g>
      {inside.map(({ name, graph, ...block }) => (
        <g key={name} transform={`translate(${block.x} ${block.y})`}>
          <rect className={styles.block} width={block.width} height={block.height} rx="5" />
          {shared.hasLabels && (
            <text className={styles.small} x="10" y="16">
              {name}
            </text>
          )}
          <Level placed={graph} {...shared} />
        </g>
      ))}
    </g>
  );
}

const describeNode = ({ title, id, type }: GraphNode, mark: NodeMark | undefined, unmarked?: string) =>
  [title ?? id, type, mark?.label ?? unmarked].filter(Boolean).join(', ');

function Texts({ box, hasSmall }: { box: PlacedBox; hasSmall: boolean }) {
  const { node, heading, edgeTexts } = box;
  const typeY = 21 + heading.length * sizes.headingLine;
  const small = [typeLine(node), ...node.parts.map(cutPart), ...edgeTexts.map(({ text }) => text)];
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: it is not focusable; the button has the texts as its name.
    <g className={styles.texts} aria-hidden="true">
      <rect
        className={styles.mark}
        x="6"
        y="10"
        width="4"
        height={typeY + (small.length - 1) * sizes.smallLine + 1 - 10}
        rx="2"
      />
      {heading.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two lines of a heading can be equal.
        <text key={index} className={styles.heading} x="18" y={21 + index * sizes.headingLine}>
          {line}
        </text>
      ))}
      {hasSmall &&
        small.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two parts can be equal.
          <text key={index} className={styles.small} x="18" y={typeY + index * sizes.smallLine}>
            {line}
          </text>
        ))}
    </g>
  );
}
