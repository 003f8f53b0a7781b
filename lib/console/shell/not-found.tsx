// The page of an address that has none.
import { BackLink, type BackTo, Empty } from '../parts/list-state.tsx';
import { Page } from '../parts/page.tsx';
import { words } from './words.ts';

interface NotFoundProps {
  readonly title?: string;
  readonly back?: BackTo;
}

export const home: BackTo = { href: '/', label: words.goHome };

export const NotFound = ({ title = words.notFoundText, back = home }: NotFoundProps) => (
  <Page title={words.notFound}>
    <Empty icon="question" title={title} action={<BackLink {...back} />} />
  </Page>
);
