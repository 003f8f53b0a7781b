// The style of a drawing: a light and a dark palette, and a colour for each family of node types.

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

const light =
  '--ground:#fff;--card:#f7f8fa;--block:#fff;--line:#8a93a3;--ink:#1c2330;--soft:#5a6475;--taken:#0b62d6;--failed:#c0262d;' +
  '--model:#7a4fd0;--call:#0b7fab;--logic:#6b7588;--person:#b26a00;--end:#1f8a4c;--fail:#c0262d';
const dark =
  '--ground:#14171d;--card:#20252e;--block:#191d24;--line:#78839a;--ink:#eceff4;--soft:#a5afc0;--taken:#6ab0ff;--failed:#ff7b7b;' +
  '--model:#b294ff;--call:#53c5ea;--logic:#98a4b8;--person:#f0b457;--end:#5fd08b;--fail:#ff7b7b';

export const styleSheet = [
  `svg{${light};font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}`,
  `@media (prefers-color-scheme:dark){svg{${dark}}}`,
  '.ground{fill:var(--ground)}',
  'text{fill:var(--ink)}.name{font-size:16px;font-weight:600}.heading{font-size:13px;font-weight:600}',
  '.small,.label{font-size:11px;fill:var(--soft)}.label,.note text{text-anchor:middle}',
  '.card{fill:var(--card);stroke:var(--line)}.block{fill:var(--block);stroke:var(--line);stroke-dasharray:2 3}',
  ['model', 'call', 'logic', 'person', 'end', 'fail']
    .map((name) => `.${name}>.mark{fill:var(--${name})}`)
    .join(''),
  '.other>.mark{fill:var(--line)}',
  '.edge{fill:none;stroke:var(--line);stroke-width:1.3}.dashed{stroke-dasharray:5 4}.under{fill:var(--ground)}.inside .under{fill:var(--block)}',
  '.head{fill:var(--line)}.head.taken{fill:var(--taken)}.start{fill:var(--ink)}',
  '.edge.taken{stroke:var(--taken);stroke-width:2.4}.taken>.card{stroke:var(--taken);stroke-width:2}',
  '.failed>.card{stroke:var(--failed);stroke-width:2}',
  '.note rect{fill:var(--taken)}.note text{fill:var(--ground);font-size:11px;font-weight:600}.failed>.note rect{fill:var(--failed)}',
  '.told.taken{fill:var(--taken);font-weight:600}.passed{opacity:.45}',
].join('\n');
