// The list of the pages of the settings.
import { Link } from 'wouter';
import { Icon } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { useSession } from '../shell/session.tsx';
import styles from './settings.module.css';
import { subPages } from './sub-pages.ts';
import { words } from './words.ts';

export function SettingsPage() {
  const { may } = useSession();
  return (
    <Page title={words.settings} lead={words.lead}>
      <ul className={styles.cards} aria-label={words.pages}>
        {subPages
          .filter(({ permission }) => !permission || may(permission))
          .map(({ path, title, text, icon }) => (
            <li key={path} className={styles.card}>
              <span className={styles.icon}>
                <Icon name={icon} size={20} />
              </span>
              <div>
                <Link href={path} data-row>
                  {title}
                </Link>
                <p className={styles.soft}>{text}</p>
              </div>
            </li>
          ))}
      </ul>
    </Page>
  );
}
