// The smallest valid flow and its variations, for the tests of the checks.
import { checkFlow } from '#lib/flow/check/check-flow.ts';

export const valid = {
  version: 1,
  name: 'Valid',
  egress: ['api.example.com'],
  models: { fast: { model: 'small' } },
  start: 'a',
  nodes: {
    a: { type: 'transform', output: '{{ input.message }}', next: 'b' },
    b: { type: 'end', output: { text: '{{ nodes.a }}' } },
  },
};

/** The valid flow with another node `a`, or with other parts around it. */
export const withNode = (node: object) => ({ ...valid, nodes: { ...valid.nodes, a: node } });
export const with_ = (parts: object) => ({ ...valid, ...parts });
export const transform = (parts: object) => withNode({ type: 'transform', output: 1, next: 'b', ...parts });
export const http = (parts: object) =>
  withNode({ type: 'http', url: 'https://api.example.com/x', next: 'b', ...parts });
export const llm = (parts: object) => withNode({ type: 'llm', prompt: 'x', next: 'b', ...parts });
export const expression = (source: string) => transform({ output: { deep: [`{{ ${source} }}`] } });
/** Without the declarations that only some of the variations use. */
export const plain = (flow: object) => ({ ...flow, egress: undefined, models: undefined });

export const mistakes = (flow: unknown) => {
  const checked = checkFlow(flow);
  return checked.ok ? [] : checked.errors;
};

export const warnings = (flow: unknown) => {
  const checked = checkFlow(flow);
  return checked.ok ? checked.warnings : [];
};

/** Pointers of the nodes at which a run may pause. */
export const pauses = (flow: unknown) =>
  warnings(flow).flatMap(({ code, pointer }) => (code === 'may_pause' ? [pointer] : []));

/** What its author should mend: a flow that pauses is fine. */
export const doubts = (flow: unknown) => [
  ...mistakes(flow),
  ...warnings(flow).filter(({ code }) => code !== 'may_pause'),
];

/** Code and place of each warning about a flow without mistakes, except that it may pause. */
export const warned = (flow: unknown) =>
  doubts(flow).map((doubt) => `${'code' in doubt ? doubt.code : doubt.detail} ${doubt.pointer}`);
