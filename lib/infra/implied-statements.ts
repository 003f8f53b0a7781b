// Leaves out of a policy what other statements of it allow anyway: a role has 10,240 characters for its policies.
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import * as z from 'zod';

/** Only items whose partition key matches a pattern (`statements.ts`), and maybe only some attributes of them. */
const onItems = z.strictObject({
  'ForAllValues:StringLike': z.strictObject({ 'dynamodb:LeadingKeys': z.array(z.string()) }),
  Null: z.unknown(),
  'ForAllValues:StringEquals': z.unknown().optional(),
});

export function withoutImplied(statements: readonly PolicyStatement[]): readonly PolicyStatement[] {
  return statements.flatMap((statement, index) => {
    const others = statements.filter((other, at) => at !== index && includes(other, statement, at < index));
    const actions = statement.actions.filter((action) =>
      others.every((other) => !other.actions.includes(action)),
    );
    if (actions.length === 0) return [];
    const { resources, conditions } = statement;
    return [new PolicyStatement({ actions, resources, conditions })];
  });
}

/** Whether a statement allows its actions wherever another one allows them. Of two equal ones the first does. */
function includes(wide: PolicyStatement, narrow: PolicyStatement, isEarlier: boolean): boolean {
  if (!narrow.resources.every((resource) => wide.resources.includes(resource))) return false;
  const isEqual =
    wide.resources.length === narrow.resources.length &&
    JSON.stringify(wide.conditions) === JSON.stringify(narrow.conditions);
  if (isEqual) return isEarlier;
  return isUnconditional(wide) || hasMoreItems(wide, narrow) || sameConditions(wide, narrow);
}

const isUnconditional = ({ conditions }: PolicyStatement): boolean => Object.keys(conditions).length === 0;
const sameConditions = (a: PolicyStatement, b: PolicyStatement): boolean =>
  JSON.stringify(a.conditions) === JSON.stringify(b.conditions);

function hasMoreItems(wide: PolicyStatement, narrow: PolicyStatement): boolean {
  const [own, others] = [onItems.safeParse(wide.conditions).data, onItems.safeParse(narrow.conditions).data];
  if (!own || !others || own['ForAllValues:StringEquals'] !== undefined) return false;
  const patterns = own['ForAllValues:StringLike']['dynamodb:LeadingKeys'];
  return others['ForAllValues:StringLike']['dynamodb:LeadingKeys'].every((key) =>
    patterns.some((pattern) => key.startsWith(pattern.slice(0, -1))),
  );
}
