// The builder of flows as a part of the package: `agent-flow-service/builder`.
export { type Expression, expr, type Path, typed } from '#lib/builder/expression.ts';
export type { NodeRef, Value } from '#lib/builder/fields.ts';
export { type FlowBuilder, flow, type ResponseOf, type Scope } from '#lib/builder/flow.ts';
