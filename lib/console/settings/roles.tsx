// Roles of a member: as words, and as fields.
import { pointerTo } from '#lib/json/pointer.ts';
import type { FieldPointers } from '../parts/field-errors.ts';
import { SelectField } from '../parts/form.tsx';
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

const fieldOf = (workspace: string): string => `role-${workspace}`;

/** Where the mistakes in roles are shown. */
export const rolePointers = (roles: Roles): FieldPointers =>
  Object.fromEntries(Object.keys(roles).map((id) => [fieldOf(id), pointerTo(['body', 'roles', id])]));

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
      <SelectField
        label={words.where}
        name="where"
        value={isEverywhere ? everywhere : ''}
        options={[
          [everywhere, words.everywhere],
          ['', words.inWorkspaces],
        ]}
        onChange={(where) =>
          onChange(where === everywhere ? { [everywhere]: 'viewer' } : { [workspaceid]: 'viewer' })
        }
      />
      {isEverywhere ? (
        <RoleField
          label={words.role}
          name={fieldOf(everywhere)}
          value={roles[everywhere] ?? ''}
          onChoose={(role) => choose(everywhere, role)}
        />
      ) : (
        <div className={styles.workspaces}>
          {listed.map(({ id, name }) => (
            <RoleField
              key={id}
              label={words.roleIn(name)}
              name={fieldOf(id)}
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
  readonly name: string;
  readonly value: string;
  readonly isOptional?: boolean;
  readonly onChoose: (role: string) => void;
}

const RoleField = ({ label, name, value, isOptional = false, onChoose }: RoleFieldProps) => (
  <SelectField
    label={label}
    name={name}
    value={value}
    options={[
      ...(isOptional ? [['', words.noRole] as const] : []),
      ...names.map((role) => [role, words.roles[role]] as const),
    ]}
    onChange={onChoose}
  />
);
