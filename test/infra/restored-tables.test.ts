// A tenant whose file names tables: everything uses these, and those of the stack stay.
import { describe, expect, it } from 'vitest';
import { deployedTemplate, ofType, tenantLike } from './demo-app.ts';

const tables = { control: 'Control-restored-r1', runs: 'Runs-restored-r1' };
const plain = deployedTemplate(tenantLike({}));
const restored = deployedTemplate(tenantLike({ tables }));

describe('a tenant whose file names tables', () => {
  it('gives their names to every function that has the variables', () => {
    const names = (template: typeof plain, variable: string) =>
      ofType(template, 'AWS::Lambda::Function').flatMap(([, { Environment = {} }]) => {
        const { Variables = {} } = Object(Environment);
        return variable in Variables ? [Variables[variable]] : [];
      });
    for (const [variable, name] of [
      ['CONTROL_TABLE', tables.control],
      ['RUNS_TABLE', tables.runs],
    ] as const) {
      expect(names(restored, variable)).toHaveLength(names(plain, variable).length);
      expect(new Set(names(restored, variable))).toEqual(new Set([name]));
    }
  });

  it('refers to its own tables nowhere, and keeps them as they are', () => {
    const own = ofType(restored, 'AWS::DynamoDB::Table');
    expect(own).toEqual(ofType(plain, 'AWS::DynamoDB::Table'));
    expect(own).toHaveLength(2);
    const text = JSON.stringify(restored);
    for (const [id] of Object.entries(restored.Resources).filter(
      ([, { Type }]) => Type === 'AWS::DynamoDB::Table',
    )) {
      expect(text).not.toContain(`{"Ref":"${id}"}`);
      expect(text).not.toContain(`{"Fn::GetAtt":["${id}"`);
    }
    expect(text).toContain(`:table/${tables.control}`);
  });

  it('names both tables in its outputs, for the commands of operators', () => {
    expect(restored.Outputs).toMatchObject({
      ControlTableName: { Value: tables.control },
      RunsTableName: { Value: tables.runs },
    });
  });

  it.each([[{ control: 'Control-restored-r1' }], [{ control: 'a b', runs: 'Runs-restored-r1' }]])(
    'refuses %j',
    (named) => {
      expect(() => tenantLike({ tables: named as typeof tables })).toThrow('tables');
    },
  );
});
