// A list of facts, each with its name.
import { Fragment, type ReactNode } from 'react';
import styles from './agent-page.module.css';

/** A fact without a value is left out. */
export const Facts = ({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) => (
  <dl className={styles.facts}>
    {facts.map(([name, value]) =>
      value === undefined ? (
        <Fragment key={name} />
      ) : (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ),
    )}
  </dl>
);
