// A flow as a picture, or as a list of the same nodes: on narrow screens, until the picture is there, and by choice.
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { type Graph, listGraphNodes } from '#lib/drawing/graph.ts';
import type { PlacedGraph } from '#lib/drawing/place-graph.ts';
import bars from '../parts/tool-bar.module.css';
import { FlowList } from './flow-list.tsx';
import type { Marks } from './marks.ts';
import { findNeighbours, listInOrder, type Neighbours } from './neighbours.ts';
import styles from './picture.module.css';
import { PictureSvg } from './picture-svg.tsx';
import { usePlacedGraph } from './use-placed-graph.ts';
import { words } from './words.ts';
import { firstZoom, fitZoom, labelsZoomMin, zoomIn, zoomOut } from './zoom.ts';

interface FlowPictureProps {
  readonly graph: Graph;
  readonly label: string;
  readonly marks: Marks;
  readonly chosen: string | undefined;
  readonly onOpen: (id: string) => void;
}

export function FlowPicture(props: FlowPictureProps) {
  const { graph } = props;
  const [isPicture, setIsPicture] = useState(() => !matchMedia('(width < 720px)').matches);
  const { graph: drawn, placed, hasFailed } = usePlacedGraph(graph, isPicture);
  const [zoom, setZoom] = useState<number>();
  const space = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (placed) setZoom((before) => before ?? firstZoom(placed.width, spaceWidth(space.current)));
  }, [placed]);
  const fit = () => placed && setZoom(fitZoom(placed.width, spaceWidth(space.current)));
  return (
    <div className={styles.frame}>
      <div className={bars.bar}>
        <span className={styles.count}>{words.nodeCount(listGraphNodes(graph).length)}</span>
        {isPicture && placed && zoom !== undefined && (
          <ZoomButtons zoom={zoom} onZoom={setZoom} onFit={fit} />
        )}
        <div className={bars.group} role="group" aria-label={words.views}>
          {([true, false] as const).map((each) => (
            <button
              key={String(each)}
              type="button"
              className={bars.tool}
              aria-pressed={isPicture === each}
              onClick={() => setIsPicture(each)}
            >
              {each ? words.picture : words.list}
            </button>
          ))}
        </div>
      </div>
      {isPicture && !placed && (
        <p className={styles.note} role="status">
          {hasFailed ? words.notDrawn : words.drawing}
        </p>
      )}
      <div ref={space}>
        {isPicture && placed ? (
          <Picture {...props} graph={drawn} placed={placed} zoom={zoom ?? 1} onZoom={setZoom} onFit={fit} />
        ) : (
          <FlowList {...props} />
        )}
      </div>
    </div>
  );
}

/** Without the padding on both sides of the picture. */
const spaceWidth = (space: HTMLElement | null): number => (space?.clientWidth ?? 0) - 16;

interface ZoomProps {
  readonly zoom: number;
  readonly onZoom: (zoom: number) => void;
  readonly onFit: () => void;
}

function ZoomButtons({ zoom, onZoom, onFit }: ZoomProps) {
  const tools = [
    ['−', '-', words.zoomOut, () => onZoom(zoomOut(zoom)), zoomOut(zoom) === zoom],
    ['+', '+', words.zoomIn, () => onZoom(zoomIn(zoom)), zoomIn(zoom) === zoom],
    [words.fit, '0', words.zoomFit, onFit, false],
  ] as const;
  return (
    <div className={bars.group}>
      <span className={styles.zoom}>{words.zoom(zoom)}</span>
      {tools.map(([sign, key, name, act, isDisabled]) => (
        <button
          key={key}
          type="button"
          className={bars.tool}
          aria-label={name}
          title={`${name} (${key})`}
          disabled={isDisabled}
          onClick={act}
        >
          {sign}
        </button>
      ))}
    </div>
  );
}

/** The picture with its keys. One node at a time can be reached by Tab. */
function Picture({
  placed,
  zoom,
  onZoom,
  onFit,
  ...props
}: FlowPictureProps & ZoomProps & { readonly placed: PlacedGraph }) {
  const { graph, chosen, onOpen } = props;
  const help = useId();
  const neighbours = useMemo(() => findNeighbours(graph), [graph]);
  const ids = useMemo(() => listInOrder(graph).map(({ id }) => id), [graph]);
  const [focused, setFocused] = useState<string>();
  const stop = [focused, chosen].find((id) => id !== undefined && neighbours.has(id)) ?? graph.start;
  const onKeyDown = (event: KeyboardEvent<SVGGElement>, id: string) => {
    const { key, altKey, ctrlKey, metaKey } = event;
    if (altKey || ctrlKey || metaKey) return;
    const target = findTarget(key, neighbours.get(id), ids);
    if (key === 'Enter' || key === ' ') onOpen(id);
    else if (key === '+' || key === '=') onZoom(zoomIn(zoom));
    else if (key === '-') onZoom(zoomOut(zoom));
    else if (key === '0') onFit();
    else if (target === undefined) return;
    event.preventDefault();
    if (target !== undefined) focusNode(event.currentTarget, target);
  };
  const space = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (chosen !== undefined) findDrawn(space.current, chosen)?.scrollIntoView(nearest);
  }, [chosen]);
  return (
    <div ref={space} className={styles.space}>
      <p id={help} className="visually-hidden">
        {words.keys}
      </p>
      <PictureSvg
        {...props}
        placed={placed}
        zoom={zoom}
        hasLabels={zoom >= labelsZoomMin}
        describedBy={help}
        stop={stop}
        onKeyDown={onKeyDown}
        onFocus={setFocused}
      />
    </div>
  );
}

function findTarget(key: string, around: Neighbours = {}, ids: readonly string[]): string | undefined {
  if (key === 'Home') return ids.at(0);
  if (key === 'End') return ids.at(-1);
  // An arrow that leads nowhere does not scroll the picture away from the node.
  return key.startsWith('Arrow') ? around[key as keyof Neighbours] : undefined;
}

function focusNode(from: Element, id: string): void {
  const target = findDrawn(from.closest('svg'), id);
  target?.focus();
  target?.scrollIntoView(nearest);
}

const nearest = { block: 'nearest', inline: 'nearest' } as const;

const findDrawn = (space: Element | null, id: string): SVGGElement | undefined =>
  [...(space?.querySelectorAll<SVGGElement>('[data-node]') ?? [])].find(({ dataset }) => dataset.node === id);
