// The texts of pictures of flows.
import { formatCount } from '../parts/format.ts';

export const words = {
  views: 'Views of the flow',
  picture: 'Picture',
  list: 'List',
  nodes: 'Nodes',
  parts: 'Works with',
  leadsTo: 'Leads to',
  drawing: 'The picture is drawn …',
  notDrawn: 'The picture could not be drawn; the list has the same nodes.',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  fit: 'Fit',
  zoomFit: 'Fit to the width',
  zoom: (zoom: number) => `${Math.round(zoom * 100)} %`,
  keys: 'Arrow keys follow the edges; Enter opens a node; + and − zoom, 0 fits the width.',
  nodeCount: (count: number) => `${formatCount(count)} ${count === 1 ? 'node' : 'nodes'}`,
  close: 'Close',
  details: 'Node',
  definition: 'Definition',
  edge: (kind: string, label: string) => {
    if (kind === 'next') return '';
    if (kind === 'catch') return `on ${label}`;
    if (kind === 'branch') return label === 'default' ? 'otherwise' : `if ${label}`;
    return label;
  },
} as const;
