import { describe, expect, it } from 'vitest';
import { tenantTemplate } from '#lib/infra/synth.ts';
import { template as readTemplate } from '#lib/infra/template.ts';
import type { TenantInput } from '#lib/infra/tenant.ts';
import { at, deployedFiles, deployedTemplate, named, ofType, tenantLike } from './demo-app.ts';

const template = deployedTemplate();
const deployed = deployedFiles().map(([, text]) => readTemplate.parse(JSON.parse(text)));
const functions = ofType(template, 'AWS::Lambda::Function');
const local: TenantInput = {
  id: 'local',
  models: {
    demo: { provider: 'openai-compatible', base_url: 'http://127.0.0.1:4010/v1', model: 'demo-scripted' },
  },
  modelDefault: 'demo',
  egressAllowPrivate: ['127.0.0.1:4010'],
};

describe('every function', () => {
  it.each(functions)('%s runs the current Node.js on arm64, with tracing', (_, properties) => {
    expect(properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      TracingConfig: { Mode: 'Active' },
    });
  });

  it.each(functions)('%s has its own log group', (id, { LoggingConfig }) => {
    const name = id.slice(0, -8); // CDK adds eight digits
    expect(at(LoggingConfig, 'LogGroup.Ref')).toMatch(new RegExp(`^${name}Logs`));
  });

  it('has the same value of each variable as all others, because locally they share one process', () => {
    const values = new Map<string, Set<string>>();
    for (const [, properties] of functions) {
      for (const [name, value] of Object.entries(Object(at(properties, 'Environment.Variables')))) {
        values.set(name, (values.get(name) ?? new Set()).add(JSON.stringify(value)));
      }
    }
    expect([...values].filter(([, different]) => different.size > 1)).toEqual([]);
  });

  it('gets the address of the gateway without a circular dependency', () => {
    for (const { Resources } of deployed) expect(cycleIn(Resources)).toBeUndefined();
    for (const [, properties] of functions) {
      expect(JSON.stringify(at(properties, 'Environment.Variables.GATEWAY_URL'))).toMatch(
        /execute-api.*\/main/,
      );
    }
  });
});

describe('every log group', () => {
  it.each(ofType(template, 'AWS::Logs::LogGroup'))('%s has a retention time', (_, { RetentionInDays }) => {
    expect(RetentionInDays).toBe(30);
  });
});

describe('access to private addresses', () => {
  it('no deployed function has it', () => {
    expect(JSON.stringify(template)).not.toContain('EGRESS_ALLOW_PRIVATE');
  });

  it('a stack that would deploy with it is refused', () => {
    expect(() => deployedTemplate(tenantLike({ egressAllowPrivate: ['127.0.0.1:4010'] }))).toThrow(
      /egressAllowPrivate/,
    );
  });

  it('the local host can allow it', () => {
    expect(JSON.stringify(tenantTemplate(local))).toContain('"EGRESS_ALLOW_PRIVATE":"127.0.0.1:4010"');
  });
});

it('the publisher of the catalog is known to the functions that serve the catalog and link to it', () => {
  const tenant = tenantLike({ catalog: { publisher: 'example.com', name: 'Example' } });
  const publishing = ofType(deployedTemplate(tenant), 'AWS::Lambda::Function').flatMap(([id, properties]) => {
    const { CATALOG_PUBLISHER, CATALOG_NAME } = Object(at(properties, 'Environment.Variables'));
    return CATALOG_PUBLISHER === undefined ? [] : [[named({ Ref: id }), CATALOG_PUBLISHER, CATALOG_NAME]];
  });
  const names = ['GetAgentCard', 'GetAiCatalog', 'GetLiveCard', 'GetRootCard', 'GetTestCard'];
  expect(publishing.sort()).toEqual(names.map((name) => [name, 'example.com', 'Example']));
});

describe('the keys of models', () => {
  const keyed = {
    one: {
      provider: 'openai-compatible',
      base_url: 'https://models.example.com/v1',
      model: 'm',
      api_key_ref: 'MODEL_KEY_ONE',
    },
  } as const;

  const models = { ...keyed, two: { ...keyed.one, model: 'other' } };
  const made = deployedTemplate(tenantLike({ models, modelDefault: 'one', functionRoles: 'own' }));

  it('are in no variable and no template, only the name under which functions that call models find them', () => {
    for (const [, properties] of ofType(made, 'AWS::Lambda::Function')) {
      const variables = Object(at(properties, 'Environment.Variables'));
      const expected = 'RUN_LIMIT_SECONDS' in variables ? 'agent-flow/demo/' : undefined;
      expect(variables.MODEL_SECRETS_PREFIX).toBe(expected);
      expect(Object.keys(variables).filter((name) => name.startsWith('MODEL_KEY_'))).toEqual([]);
    }
    expect(JSON.stringify(made)).not.toContain('resolve:secretsmanager');
  });

  it('can be read by the functions that call models, each of them and no other secret', () => {
    const reading = ofType(made, 'AWS::IAM::Role').flatMap(([id, properties]) => {
      const statements = [at(properties, 'Policies.0.PolicyDocument.Statement')].flat();
      return statements
        .filter((statement) => JSON.stringify(at(statement, 'Action')).includes('secretsmanager:'))
        .map((statement) => [named({ Ref: id }), at(statement, 'Action'), named(at(statement, 'Resource'))]);
    });
    const secret =
      'arn:AWS::Partition:secretsmanager:AWS::Region:AWS::AccountId:secret:agent-flow/demo/MODEL_KEY_ONE-??????';
    const callers = ofType(made, 'AWS::Lambda::Function').filter(
      ([, properties]) => 'RUN_LIMIT_SECONDS' in Object(at(properties, 'Environment.Variables')),
    );
    expect(reading.map(([role]) => role).sort()).toEqual(
      callers.map(([id]) => `${named({ Ref: id })}Role`).sort(),
    );
    for (const [, ...granted] of reading) expect(granted).toEqual(['secretsmanager:GetSecretValue', secret]);
  });

  it('are set by the local host itself', () => {
    const variables = JSON.stringify(tenantTemplate({ ...local, models: keyed, modelDefault: 'one' }));
    expect(variables).not.toContain('MODEL_SECRETS_PREFIX');
    expect(variables).not.toContain('secretsmanager');
  });
});

type Resources = typeof template.Resources;

/** The first resource found that depends on itself. */
function cycleIn(resources: Resources): string | undefined {
  const finished = new Set<string>();
  const visit = (id: string, above: readonly string[]): string | undefined => {
    if (above.includes(id)) return [...above, id].join(' → ');
    if (finished.has(id)) return undefined;
    finished.add(id);
    return dependencies(resources, id).reduce<string | undefined>(
      (found, next) => found ?? visit(next, [...above, id]),
      undefined,
    );
  };
  return Object.keys(resources).reduce<string | undefined>((found, id) => found ?? visit(id, []), undefined);
}

function dependencies(resources: Resources, id: string): string[] {
  const { Properties, DependsOn = [] } = resources[id] ?? {};
  const text = JSON.stringify(Properties ?? {});
  const references = [...text.matchAll(/"(?:Ref|Fn::GetAtt)":\[?"([^".]+)/g)].map(([, name]) => name ?? '');
  return [...references, ...[DependsOn].flat()].filter((name) => name in resources);
}
