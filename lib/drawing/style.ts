// The style of a drawing: a light and a dark palette, and a colour for each family of node types. Colours are written
// out, because many viewers of SVG do not know variables and would paint everything black.

/** The family of each node type. A type that is missing here is drawn in the colour of lines. */
const families: ReadonlyMap<string, string> = new Map(
  Object.entries({
    model: ['llm', 'agent'],
    call: ['http', 'mcp', 'a2a', 'flow', 'store'],
    logic: ['switch', 'transform', 'code', 'parallel', 'map'],
    person: ['ask', 'reply', 'wait'],
    end: ['end'],
    fail: ['fail'],
  }).flatMap(([family, types]) => types.map((type) => [type, family] as const)),
);

export const findFamily = (type: string): string => families.get(type) ?? 'other';

export const light = {
  ground: '#fff',
  card: '#f7f8fa',
  block: '#fff',
  line: '#8a93a3',
  ink: '#1c2330',
  soft: '#5a6475',
  taken: '#0b62d6',
  failed: '#c0262d',
  model: '#7a4fd0',
  call: '#0b7fab',
  logic: '#6b7588',
  person: '#b26a00',
  end: '#1f8a4c',
  fail: '#c0262d',
} as const;
type Palette = Readonly<Record<keyof typeof light, string>>;

export const dark: Palette = {
  ground: '#14171d',
  card: '#20252e',
  block: '#191d24',
  line: '#78839a',
  ink: '#eceff4',
  soft: '#a5afc0',
  taken: '#6ab0ff',
  failed: '#ff7b7b',
  model: '#b294ff',
  call: '#53c5ea',
  logic: '#98a4b8',
  person: '#f0b457',
  end: '#5fd08b',
  fail: '#ff7b7b',
};

const shapes = [
  'svg{font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}',
  '.name{font-size:16px;font-weight:600}.heading{font-size:13px;font-weight:600}',
  '.small,.label{font-size:11px}.label{text-anchor:middle}',
  '.block{stroke-dasharray:2 3}.edge{fill:none;stroke-width:1.3}.dashed{stroke-dasharray:5 4}.passed{opacity:.45}',
].join('\n');

const states = [
  '.edge.taken{stroke-width:2.4}.taken>.card,.failed>.card{stroke-width:2}',
  '.note text{font-size:11px;font-weight:600;text-anchor:middle}.told.taken{font-weight:600}',
].join('\n');

const paint = ({ ground, card, block, line, ink, soft, taken, failed, ...marks }: Palette): string =>
  [
    `.ground,.under{fill:${ground}}.inside .under{fill:${block}}`,
    `text,.start{fill:${ink}}.small,.label{fill:${soft}}`,
    `.card{fill:${card};stroke:${line}}.block{fill:${block};stroke:${line}}`,
    ...Object.entries(marks).map(([family, colour]) => `.${family}>.mark{fill:${colour}}`),
    `.other>.mark,.head{fill:${line}}.edge{stroke:${line}}`,
    `.head.taken,.told.taken,.note rect{fill:${taken}}.edge.taken,.taken>.card{stroke:${taken}}`,
    `.failed>.card{stroke:${failed}}.failed>.note rect{fill:${failed}}.note text{fill:${ground}}`,
  ].join('');

/** Follows the scheme of the device. */
export const styleSheet = `${shapes}\n${paint(light)}\n${states}\n@media (prefers-color-scheme:dark){${paint(dark)}}`;
