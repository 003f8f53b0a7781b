// `firewall` in a tenant file: a web ACL of AWS WAF in front of the gateway. It has limits for callers apart before a
// function is invoked, while the throttling of the stage counts all callers together (docs/decisions/0070-shares-of-callers.md).
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import * as z from 'zod';

/** The bounds of WAF for a rate. */
const requests = z.int().min(10).max(2_000_000_000);

/** How many requests within a minute are let through; those beyond are refused until the rate falls. */
export const firewall = z.strictObject({
  /** Of all callers together that send no credentials. */
  anonymousRequests: requests.default(3_000),
  /** Of each IP address. */
  addressRequests: requests.default(3_000),
  /** Of each API key, and of each access token. */
  keyRequests: requests.default(3_000),
});

type Firewall = z.output<typeof firewall>;
type Rate = Omit<CfnWebACL.RateBasedStatementProperty, 'evaluationWindowSec'>;

const credentialHeaders = ['x-api-key', 'authorization'];

export function addFirewall(scope: Construct, api: RestApi, limits: Firewall): void {
  const acl = new CfnWebACL(scope, 'WebAcl', {
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    visibilityConfig: visible('WebAcl'),
    rules: toRates(limits).map(([name, rate], priority) => ({
      name,
      priority,
      action: { block: {} },
      statement: { rateBasedStatement: { ...rate, evaluationWindowSec: 60 } },
      visibilityConfig: visible(name),
    })),
  });
  new CfnWebACLAssociation(scope, 'WebAclOfStage', {
    webAclArn: acl.attrArn,
    resourceArn: api.deploymentStage.stageArn,
  });
}

const toRates = ({ anonymousRequests, addressRequests, keyRequests }: Firewall): [string, Rate][] => [
  [
    'Anonymous',
    {
      limit: anonymousRequests,
      aggregateKeyType: 'CONSTANT',
      scopeDownStatement: { andStatement: { statements: [...credentialHeaders, 'cookie'].map(lacks) } },
    },
  ],
  ['Address', { limit: addressRequests, aggregateKeyType: 'IP' }],
  // A request without the header counts in neither of them.
  ...credentialHeaders.map((name): [string, Rate] => [
    `Header-${name}`,
    {
      limit: keyRequests,
      aggregateKeyType: 'CUSTOM_KEYS',
      customKeys: [{ header: { name, textTransformations: [unchanged] } }],
    },
  ]),
];

const unchanged: CfnWebACL.TextTransformationProperty = { priority: 0, type: 'NONE' };

/** WAF has no statement for a missing header. */
const lacks = (name: string): CfnWebACL.StatementProperty => ({
  notStatement: {
    statement: {
      sizeConstraintStatement: {
        // The template has this member as it stands here.
        fieldToMatch: { singleHeader: { Name: name } },
        comparisonOperator: 'GE',
        size: 1,
        textTransformations: [unchanged],
      },
    },
  },
});

/** Samples would show headers with credentials in the console. */
const visible = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
  metricName,
});
