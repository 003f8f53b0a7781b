import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { flatTemplate } from '#lib/infra/flat-template.ts';
import { template } from '#lib/infra/template.ts';
import { deployedFiles, deployedTemplate, ofType } from './demo-app.ts';

function flat(files: Readonly<Record<string, object>>) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-flow-flat-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), JSON.stringify(text));
  return flatTemplate(folder, 'outer');
}

const queue = (Properties: object = {}) => ({ Type: 'AWS::SQS::Queue', Properties });
const nested = (file: string, Parameters: object = {}, more: object = {}) => ({
  Type: 'AWS::CloudFormation::Stack',
  Properties: { Parameters, TemplateURL: 'https://…' },
  Metadata: { 'aws:asset:path': file },
  ...more,
});
const output = (stack: string, name: string) => ({ 'Fn::GetAtt': [stack, `Outputs.${name}`] });

describe('a flat template', () => {
  it('has the resources of all stacks, and no nested stack', () => {
    const made = flat({
      outer: { Resources: { A: queue(), First: nested('first') } },
      first: { Resources: { B: queue(), Second: nested('second') } },
      second: { Resources: { C: queue() } },
    });
    expect(Object.entries(made.Resources)).toEqual([
      ['A', queue()],
      ['B', queue()],
      ['C', queue()],
    ]);
  });

  it('replaces the parameters of a nested stack by their values', () => {
    const made = flat({
      outer: { Resources: { A: queue(), First: nested('first', { name: { Ref: 'A' } }) } },
      first: {
        Parameters: { name: { Type: 'String' } },
        Resources: { B: queue({ Tags: [{ 'Fn::Join': ['', ['x', { Ref: 'name' }]] }, { Ref: 'B' }] }) },
      },
    });
    expect(made.Resources.B?.Properties).toEqual({
      Tags: [{ 'Fn::Join': ['', ['x', { Ref: 'A' }]] }, { Ref: 'B' }],
    });
    expect(made).not.toHaveProperty('Parameters');
  });

  it('waits for what a nested stack waits for, but for no other nested stack', () => {
    const made = flat({
      outer: {
        Resources: {
          A: queue(),
          First: nested('first'),
          Second: nested('second', {}, { DependsOn: ['First', 'A'] }),
        },
      },
      first: { Resources: { B: queue() } },
      second: { Resources: { C: { ...queue(), DependsOn: ['D'] }, D: queue() } },
    });
    expect(made.Resources.C?.DependsOn).toEqual(['D', 'A']);
    expect(made.Resources.D?.DependsOn).toEqual(['A']);
  });

  it('replaces the outputs of a nested stack by their values, also in another stack and in an output', () => {
    const made = flat({
      outer: {
        Resources: {
          First: nested('first'),
          Second: nested('second', { name: output('First', 'Name') }),
          A: queue({ QueueName: output('Second', 'Name') }),
        },
        Outputs: { Name: { Value: output('Second', 'Name') } },
      },
      first: { Resources: { B: queue() }, Outputs: { Name: { Value: { Ref: 'B' } } } },
      second: { Resources: { C: queue() }, Outputs: { Name: { Value: { Ref: 'name' } } } },
    });
    expect(made.Resources.A?.Properties).toEqual({ QueueName: { Ref: 'B' } });
    expect(made.Outputs).toEqual({ Name: { Value: { Ref: 'B' } } });
  });

  it('gives each resource the dependencies of its stack', () => {
    const made = flat({
      outer: { Resources: { A: queue(), First: nested('first', {}, { DependsOn: ['A'] }) } },
      first: { Resources: { B: queue(), C: { ...queue(), DependsOn: 'B' } } },
    });
    expect(made.Resources.B?.DependsOn).toEqual(['A']);
    expect(made.Resources.C?.DependsOn).toEqual(['B', 'A']);
  });

  it.each([
    ['an id twice', { Resources: { A: queue() } }, /two resources with the id A/],
    ['a section it would lose', { Resources: {}, Conditions: { Never: false } }, /Conditions/],
  ])('is refused with %s', (_, first, message) => {
    const outer = { Resources: { A: queue(), First: nested('first') } };
    expect(() => flat({ outer, first })).toThrow(message);
  });

  it('of a tenant has every deployed resource, and only references that resolve', () => {
    const whole = deployedTemplate();
    const ids = Object.keys(whole.Resources);
    const deployed = deployedFiles().map(([, text]) => template.parse(JSON.parse(text)));
    const stacks = deployed.flatMap((one) => ofType(one, 'AWS::CloudFormation::Stack'));
    const all = deployed.flatMap((one) => Object.keys(one.Resources));
    expect(all.length - stacks.length).toBe(ids.length);
    const text = JSON.stringify([whole.Resources, whole.Outputs]);
    const named = [...text.matchAll(/"(?:Ref":|Fn::GetAtt":\[)"([^"]+)/g)].map(([, name = '']) => name);
    const awaited = Object.values(whole.Resources).flatMap(({ DependsOn = [] }) => DependsOn);
    const missing = [...named, ...awaited].filter((name) => !name.startsWith('AWS::') && !ids.includes(name));
    expect(missing).toEqual([]);
  });
});
