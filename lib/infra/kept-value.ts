// CloudFormation itself refuses a deployment that changes a value unasked, whoever deploys
// (docs/decisions/0090-address-guard.md). Synthesis does not see the stack; a parameter keeps what it was deployed with.
import { CfnParameter, CfnRule, Fn, type Stack } from 'aws-cdk-lib/core';

interface KeptValue {
  /** The name of the parameter; `{name}Stays` is the rule. */
  readonly name: string;
  readonly value: string;
  readonly description: string;
  /** Why the deployment is refused, and what to do. */
  readonly refusal: string;
}

/**
 * An update keeps the value of a parameter unless it is given another one, so the parameter has the value of the last
 * deployment. A stack from before the parameter takes the default, as a new one does.
 */
export function keepValue(stack: Stack, { name, value, description, refusal }: KeptValue): void {
  const deployed = new CfnParameter(stack, name, { default: value, description });
  new CfnRule(stack, `${name}Stays`, {
    assertions: [{ assert: Fn.conditionEquals(deployed, value), assertDescription: refusal }],
  });
}
