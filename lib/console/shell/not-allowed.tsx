// In place of a page for which the role of the person lacks the permission.
import type { Permission } from '#lib/access/permission.ts';
import { BackLink, Empty } from '../parts/list-state.tsx';
import { Page } from '../parts/page.tsx';
import { home } from './not-found.tsx';
import { words } from './words.ts';

export const NotAllowed = ({ permission }: { permission: Permission }) => (
  <Page title={words.notAllowed}>
    <Empty icon="lock" title={words.notAllowedText(permission)} action={<BackLink {...home} />} />
  </Page>
);
