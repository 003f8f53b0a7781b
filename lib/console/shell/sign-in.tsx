// What a person sees who is not signed in. After it they are where they wanted to be.
import { serviceUrl } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import { Logo } from '../parts/icon.tsx';
import styles from './sign-in.module.css';

export function SignIn() {
  const { pathname, search } = location;
  const url = new URL(serviceUrl('/auth/login'));
  url.searchParams.set('return_to', `${pathname}${search}`);
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <Logo />
        <h1>Agent Flow</h1>
        <p className={styles.soft}>Sign in to see your agents, their runs, and what waits for you.</p>
        <a className={buttons.primary} href={url.href}>
          Sign in
        </a>
      </div>
    </main>
  );
}
