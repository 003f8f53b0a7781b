// The pages of the settings, in the order of their list.
import type { Permission } from '#lib/access/permission.ts';
import type { IconName } from '../parts/icon.tsx';
import { words } from './words.ts';

interface SubPage {
  readonly path: string;
  readonly title: string;
  readonly text: string;
  readonly icon: IconName;
  /** Without it, the list does not show the page. */
  readonly permission?: Permission;
}

export const subPages: readonly SubPage[] = [
  {
    path: '/settings/members',
    title: words.members,
    text: words.membersText,
    icon: 'person',
    permission: 'members:read',
  },
  {
    path: '/settings/keys',
    title: words.keys,
    text: words.keysText,
    icon: 'key',
    permission: 'apikeys:read',
  },
  { path: '/settings/sessions', title: words.sessions, text: words.sessionsText, icon: 'lock' },
  {
    path: '/settings/audit',
    title: words.audit,
    text: words.auditText,
    icon: 'runs',
    permission: 'audit:read',
  },
];
