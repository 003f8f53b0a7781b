// What stands around every page: the rail of pages, the workspace, and who is signed in.
import { createElement, Suspense, useEffect, useRef } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { Keyboard } from '../keys/keyboard.tsx';
import { pages } from '../pages.ts';
import { Icon, Logo } from '../parts/icon.tsx';
import { Loading } from '../parts/list-state.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { NotAllowed } from './not-allowed.tsx';
import { NotFound } from './not-found.tsx';
import { SessionGate, useSession } from './session.tsx';
import styles from './shell.module.css';
import { UserMenu } from './user-menu.tsx';
import { words } from './words.ts';
import { WorkspaceChoice } from './workspace-choice.tsx';

export const Shell = () => (
  <SessionGate>
    <button type="button" className={styles.skip} onClick={() => document.getElementById('main')?.focus()}>
      {words.skip}
    </button>
    <div className={styles.shell}>
      <header className={styles.top}>
        <Link href="/" className={styles.brand} aria-label={words.home}>
          <Logo size={26} />
          <span className={styles.name}>Agent Flow</span>
        </Link>
        <WorkspaceChoice />
        <Keyboard />
        <UserMenu />
      </header>
      <Rail />
      <main id="main" className={styles.main} tabIndex={-1}>
        <Routes />
      </main>
    </div>
  </SessionGate>
);

function Rail() {
  const { may } = useSession();
  const [location] = useLocation();
  const shown = pages.filter(({ permission }) => !permission || may(permission));
  return (
    <nav className={styles.rail} aria-label={words.pages}>
      <ul>
        {shown.map(({ path, rail }) =>
          rail ? (
            <li key={path}>
              <Link
                href={path}
                className={styles.entry}
                aria-current={isWithin(location, path) ? 'page' : undefined}
              >
                <Icon name={rail.icon} />
                <span>{rail.label}</span>
              </Link>
            </li>
          ) : null,
        )}
      </ul>
    </nav>
  );
}

const isWithin = (location: string, path: string): boolean =>
  path === '/' ? location === '/' || location === '' : location === path || location.startsWith(`${path}/`);

function Routes() {
  const [location] = useLocation();
  const { may } = useSession();
  useFocusOnPage(location);
  return (
    <ErrorBoundary key={location}>
      <Suspense fallback={<Loading />}>
        <Switch>
          {pages.map(({ path, component, permission }) => (
            <Route key={path} path={path}>
              {permission && !may(permission) ? (
                <NotAllowed permission={permission} />
              ) : (
                createElement(component)
              )}
            </Route>
          ))}
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}

/** The link that led to another page may be gone with the page before: keyboards then go on at the new one. */
function useFocusOnPage(location: string): void {
  const before = useRef(location);
  useEffect(() => {
    if (before.current === location) return;
    before.current = location;
    if (document.activeElement === document.body)
      document.getElementById('main')?.focus({ preventScroll: true });
  }, [location]);
}
