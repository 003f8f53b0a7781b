// Who is signed in, the colour scheme, and signing out.
import { Menu } from '@base-ui/react/menu';
import { useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { useSession } from './session.tsx';
import { signOut } from './sign-out.ts';
import { applyTheme, readTheme, type Theme, themes } from './theme.ts';
import styles from './user-menu.module.css';
import { words } from './words.ts';

export function UserMenu() {
  const { me, workspaces, workspaceid } = useSession();
  const workspace = workspaces.find(({ id }) => id === workspaceid);
  const [theme, setTheme] = useState(readTheme);
  const choose = (next: Theme) => {
    applyTheme(next);
    setTheme(next);
  };
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={styles.trigger} aria-label={words.account}>
        <Icon name="person" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" className={styles.positioner}>
          <Menu.Popup className={styles.popup}>
            <div className={styles.person}>
              <strong>{me.name ?? me.email ?? me.id}</strong>
              {me.email && <span>{me.email}</span>}
              <span>{me.orgid}</span>
              {workspace && <span>{workspace.name}</span>}
            </div>
            <Menu.Group>
              <Menu.GroupLabel className={styles.label}>{words.theme}</Menu.GroupLabel>
              <Menu.RadioGroup value={theme} onValueChange={choose}>
                {themes.map((each) => (
                  <Menu.RadioItem key={each} value={each} className={styles.item} closeOnClick={false}>
                    <span className={styles.mark}>
                      <Menu.RadioItemIndicator>
                        <Icon name="done" size={16} />
                      </Menu.RadioItemIndicator>
                    </span>
                    {words.themes[each]}
                  </Menu.RadioItem>
                ))}
              </Menu.RadioGroup>
            </Menu.Group>
            <Menu.Separator className={styles.separator} />
            <Menu.LinkItem className={styles.item} href={licences()} target="_blank">
              <span className={styles.mark} />
              {words.licences}
            </Menu.LinkItem>
            <Menu.Item className={styles.item} onClick={signOut}>
              <span className={styles.mark} />
              {words.signOut}
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** The file whose name the build has written into the document. */
const licences = () => document.querySelector<HTMLLinkElement>('link[rel=license]')?.href;
