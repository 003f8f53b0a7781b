// The workspace whose agents and runs the pages show. With one there is nothing to choose.
import { Icon } from '../parts/icon.tsx';
import { useSession } from './session.tsx';
import styles from './shell.module.css';
import { words } from './words.ts';

export function WorkspaceChoice() {
  const { workspaces, workspaceid, chooseWorkspace } = useSession();
  const [only] = workspaces;
  if (workspaces.length <= 1)
    return (
      <span className={styles.workspace} title={only?.name}>
        {only?.name}
      </span>
    );
  return (
    <label className={styles.workspaceChoice}>
      <span className="visually-hidden">{words.workspace}</span>
      <select value={workspaceid} onChange={(event) => chooseWorkspace(event.target.value)}>
        {workspaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <Icon name="chevron" size={16} />
    </label>
  );
}
