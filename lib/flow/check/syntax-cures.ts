// What to write instead of operators that other languages have and JSONata does not. The parser only says which
// character it did not expect.

interface Habit {
  readonly pattern: RegExp;
  readonly cure: string;
}

/** The first that an expression contains is named. Each pattern has a fixed length, so a search is linear. */
const habits: readonly Habit[] = [
  { pattern: /=>/, cure: 'a function is written `function($x){ … }`, not with `=>`' },
  { pattern: /[=!]==/, cure: 'equality is `=`, inequality `!=`' },
  { pattern: /==/, cure: 'equality is `=`, not `==`' },
  { pattern: /<>/, cure: 'inequality is `!=`, not `<>`' },
  { pattern: /&&/, cure: 'both conditions are joined by `and`, not by `&&`' },
  { pattern: /\|\|/, cure: 'either condition is joined by `or`, and a default value by `??`, not by `||`' },
  {
    pattern: /\$\{/,
    cure: `texts are joined by \`&\`, such as \`"Hello " & input.message\`, not by \`$\{…}\``,
  },
  {
    pattern: /\?\./,
    cure: 'a member is read by `.`, which gives nothing if a value is missing, not by `?.`',
  },
  { pattern: /!(?!=)/, cure: 'a condition is negated by `$not(…)`, not by `!`' },
  { pattern: /\bnot\s+[\w$(]/, cure: 'a condition is negated by `$not(…)`' },
  { pattern: /\bnew\s+\w/, cure: 'there are no classes: the time is `$now()` or `$millis()`' },
  { pattern: /\btypeof\s+\w/, cure: 'the type of a value is `$type(…)`' },
  { pattern: /\b(?:let|const|var)\s+\w/, cure: 'a variable is bound by `$name := …` in a block `( … ; … )`' },
  { pattern: /\+\+|--|[+-]=/, cure: 'variables do not change: a node sets one in `assign`' },
];

/** Texts, quoted names and comments, in which such operators have no meaning. */
const quoted = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|`[^`]*`|\/\*[\s\S]*?\*\//g;

/** The cure for an expression that does not parse; undefined if it has none of these operators. */
export function findSyntaxCure(source: string): string | undefined {
  const code = source.replaceAll(quoted, '""');
  return habits.find(({ pattern }) => pattern.test(code))?.cure;
}
