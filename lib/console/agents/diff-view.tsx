// The differences of two builds: first what may break callers, then the rest by section.
import styles from './build-page.module.css';
import type { Diff } from './queries.ts';
import { words } from './words.ts';

/** In the order in which they matter to callers, then to those who answer for the agent. */
const sections = [
  'card',
  'skills',
  'extensions',
  'input_modes',
  'output_modes',
  'input',
  'output',
  'egress',
  'reaches',
  'models',
  'connections',
  'nodes',
  'env_variable',
  'tool_config',
] as const;
type Change = Diff['card'][number];

export function DiffView({ diff }: { diff: Diff }) {
  const all = sections.map((name) => ({ name, changes: diff[name] }));
  const breaking = all
    .map(({ name, changes }) => ({ name, changes: changes.filter((change) => change.breaking) }))
    .filter(hasChanges);
  const others = all
    .map(({ name, changes }) => ({ name, changes: changes.filter((change) => !change.breaking) }))
    .filter(hasChanges);
  if (breaking.length + others.length === 0) return <p className={styles.none}>{words.noDifference}</p>;
  return (
    <div className={styles.diff}>
      {breaking.length > 0 && (
        <section className={styles.breaking} aria-label={words.breaking}>
          <h3>{words.breaking}</h3>
          <p>{words.breakingText}</p>
          {breaking.map(({ name, changes }) => (
            <Section key={name} title={words.sections[name]} changes={changes} />
          ))}
        </section>
      )}
      {others.map(({ name, changes }) => (
        <Section key={name} title={words.sections[name]} changes={changes} />
      ))}
    </div>
  );
}

const hasChanges = ({ changes }: { changes: readonly Change[] }) => changes.length > 0;

const Section = ({ title, changes }: { title: string; changes: readonly Change[] }) => (
  <div>
    <h4 className={styles.sectionName}>{title}</h4>
    <ul className={styles.changes}>
      {changes.map(({ name, change, was, now, members = [] }) => (
        <li key={`${name} ${change}`}>
          <span className={`${styles.change} ${styles[change]}`}>{words.changes[change]}</span>
          <span>
            <code>{name}</code>
            {members.length > 0 && <span className={styles.soft}> {members.join(', ')}</span>}
            {was !== undefined && was !== now && (
              <>
                {' '}
                <del>{was}</del>
              </>
            )}
            {now !== undefined && was !== now && (
              <>
                {' '}
                <ins>{now}</ins>
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  </div>
);
