// Roles of a member: as words, and as fields.
import fields from '../parts/field.module.css';
import { useSession } from '../shell/session.tsx';
import type { Roles } from './queries.ts';
import styles from './settings.module.css';
import { words } from './words.ts';

const names = ['owner', 'admin', 'builder', 'operator', 'viewer', 'caller'] as const;
type Role = (typeof names)[number];

const everywhere = '*';

export function RoleNames({ roles }: { roles: Roles }) {
  const { workspaces } = useSession();
  const nameOf = (id: string) => workspaces.find((each) => each.id === id)?.name ?? id;
  const texts = Object.entries(roles).map(([id, role]) =>
    id === everywhere ? words.roleEverywhere(words.roles[role]) : words.roleAt(words.roles[role], nameOf(id)),
  );
  return <>{new Intl.ListFormat('en').format(texts)}</>;
}

interface RoleFieldsProps {
  readonly roles: Roles;
  readonly onChange: (roles: Roles) => void;
}

/** One role in the whole organisation, or one in each of some workspaces. */
export function RoleFields({ roles, onChange }: RoleFieldsProps) {
  const { workspaces, workspaceid } = useSession();
  const isEverywhere = Object.hasOwn(roles, everywhere);
  const others = Object.keys(roles).filter(
    (id) => id !== everywhere && !workspaces.some((each) => each.id === id),
  );
  const listed = [...workspaces, ...others.map((id) => ({ id, name: id }))];
  const choose = (id: string, role: string) => {
    const { [id]: _, ...rest } = roles;
    // The options of the field are the roles.
    onChange(role === '' ? rest : { ...rest, [id]: role as Role });
  };
  return (
    <>
      <label className={fields.field}>
        <span className={fields.label}>{words.where}</span>
        <select
          className={fields.input}
          value={isEverywhere ? everywhere : ''}
          onChange={({ target }) =>
            onChange(target.value === everywhere ? { [everywhere]: 'viewer' } : { [workspaceid]: 'viewer' })
          }
        >
          <option value={everywhere}>{words.everywhere}</option>
          <option value="">{words.inWorkspaces}</option>
        </select>
      </label>
      {isEverywhere ? (
        <RoleField
          label={words.role}
          value={roles[everywhere] ?? ''}
          onChoose={(role) => choose(everywhere, role)}
        />
      ) : (
        <div className={styles.workspaces}>
          {listed.map(({ id, name }) => (
            <RoleField
              key={id}
              label={words.roleIn(name)}
              value={roles[id] ?? ''}
              isOptional
              onChoose={(role) => choose(id, role)}
            />
          ))}
        </div>
      )}
    </>
  );
}

interface RoleFieldProps {
  readonly label: string;
  readonly value: string;
  readonly isOptional?: boolean;
  readonly onChoose: (role: string) => void;
}

const RoleField = ({ label, value, isOptional = false, onChoose }: RoleFieldProps) => (
  <label className={fields.field}>
    <span className={fields.label}>{label}</span>
    <select className={fields.input} value={value} onChange={({ target }) => onChoose(target.value)}>
      {isOptional && <option value="">{words.noRole}</option>}
      {names.map((role) => (
        <option key={role} value={role}>
          {words.roles[role]}
        </option>
      ))}
    </select>
  </label>
);
