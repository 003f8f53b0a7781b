// The icons of the console: strokes on a grid of 20, in the colour of the text beside them.
const shapes = {
  home: 'M3 9.5 10 4l7 5.5V16a1 1 0 0 1-1 1h-3.5v-4.5h-5V17H4a1 1 0 0 1-1-1Z',
  runs: 'M3 5h9M3 10h14M3 15h6M15.5 3.5v3M12.5 13.5v3',
  inbox: 'M3 11.5 5.2 4h9.6L17 11.5V16H3Zm0 0h4l1.2 2h3.6l1.2-2h4',
  agents:
    'M6 7h8a2 2 0 0 1 2 2v5a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V9a2 2 0 0 1 2-2Zm4 0V4M7.6 11v1.4M12.4 11v1.4',
  triggers: 'M11 3 5 11h4.5L9 17l6-8h-4.5Z',
  connections: 'M8 12 12 8M7.5 9 5.6 10.9a2.8 2.8 0 0 0 4 4L11.5 13M12.5 11l1.9-1.9a2.8 2.8 0 0 0-4-4L8.5 7',
  environments: 'm10 3 7 3.5-7 3.5-7-3.5Zm-7 7 7 3.5 7-3.5',
  usage: 'M4 16.5V10M8 16.5V4M12 16.5V8M16 16.5v-4',
  settings: 'M3 6h8M15 6h2M13 4v4M3 14h2M9 14h8M7 12v4',
  done: 'm5 10.5 3.4 3.4L15 7',
  failed: 'm6 6 8 8M14 6l-8 8',
  working: 'M10 4a6 6 0 1 0 6 6',
  waiting: 'M10 5.5V10l3 2M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14Z',
  question: 'M7.6 7.6A2.5 2.5 0 1 1 10 11v1M10 15v.1',
  key: 'M12.5 11a3.5 3.5 0 1 0-3.3-2.3L4 14v2.5h2.5v-2h2v-2h1.7a3.5 3.5 0 0 0 2.3-1.5ZM13 7.5v.1',
  lock: 'M5.5 9h9v7h-9Zm2-0V6.8a2.5 2.5 0 0 1 5 0V9',
  canceled: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM5.2 14.8 14.8 5.2',
  chevron: 'm7 8.5 3 3 3-3',
  earlier: 'm12 6-4 4 4 4',
  later: 'm8 6 4 4-4 4',
  person: 'M10 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM4 17c.6-3 3-4.5 6-4.5s5.4 1.5 6 4.5',
  copy: 'M7 7h9v9H7ZM4 13V4h9',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM13 13l4 4',
  added: 'M10 4v12M4 10h12',
  removed: 'M4 10h12',
  changed: 'M3.5 12c2-5 4.5-5 6.5-2s4.5 3 6.5-2',
  ascending: 'M10 16V4M5.5 8.5 10 4l4.5 4.5',
  descending: 'M10 4v12M5.5 11.5 10 16l4.5-4.5',
  sortable: 'm6.5 7.5 3.5-3.5 3.5 3.5M6.5 12.5 10 16l3.5-3.5',
  warning: 'M10 3.5 17.5 16h-15ZM10 8v4M10 14v.1',
} as const;
export type IconName = keyof typeof shapes;

export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg
    aria-hidden="true"
    width={size}
    height={size}
    viewBox="0 0 20 20"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.6"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={shapes[name]} />
  </svg>
);

export const Logo = ({ size = 32 }: { size?: number }) => (
  <svg aria-hidden="true" width={size} height={size} viewBox="0 0 32 32">
    <rect width="32" height="32" rx="8" fill="var(--accent-fill)" />
    <path d="M10 10v6a4 4 0 0 0 4 4h6" fill="none" stroke="#fff" strokeWidth="2.6" />
    <circle cx="10" cy="9" r="3.4" fill="#fff" />
    <circle cx="22.5" cy="20" r="3.4" fill="#fff" />
  </svg>
);
