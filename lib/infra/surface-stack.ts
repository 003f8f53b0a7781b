// The stacks inside a tenant's stack that hold the functions of routes, one for each surface: CloudFormation takes 500 resources in a stack,
// and a function brings five (docs/decisions/0022-nested-stacks.md). They deploy with the tenant's stack and go with it.
import { NestedStack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Route } from '#lib/http/route.ts';

/** The stack of a surface; its first function makes it. */
export function surfaceStack(scope: Construct, surface: Route['tag']): NestedStack {
  const existing = scope.node.tryFindChild(surface);
  return NestedStack.isNestedStack(existing) ? existing : newSurfaceStack(scope, surface);
}

function newSurfaceStack(scope: Construct, surface: Route['tag']): NestedStack {
  const made = new NestedStack(scope, surface, { description: `Functions of the routes under ${surface}` });
  // The names that CloudFormation gives to functions begin with it, and end after 64 characters.
  made.nestedStackResource?.overrideLogicalId(surface);
  return made;
}
