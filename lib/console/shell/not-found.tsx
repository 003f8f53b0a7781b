// The page of an address that has none.
import { Link } from 'wouter';
import buttons from '../parts/button.module.css';
import { Empty } from '../parts/list-state.tsx';
import { Page } from '../parts/page.tsx';
import { words } from './words.ts';

export const NotFound = () => (
  <Page title={words.notFound}>
    <Empty
      icon="question"
      title={words.notFoundText}
      action={
        <Link href="/" className={buttons.button}>
          {words.goHome}
        </Link>
      }
    />
  </Page>
);
