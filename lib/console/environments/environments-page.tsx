// The environments of the workspace, side by side.
import { Link } from 'wouter';
import buttons from '../parts/button.module.css';
import { Curl } from '../parts/curl.tsx';
import { Empty, Failure, Loading } from '../parts/list-state.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';
import { useSession } from '../shell/session.tsx';
import styles from './environments-page.module.css';
import {
  defaultOf,
  type EnvironmentName,
  environmentNames,
  type Settings,
  useEnvironments,
} from './queries.ts';
import { words } from './words.ts';

export function EnvironmentsPage() {
  const { data, error, isPending, refetch } = useEnvironments();
  return (
    <Page title={words.environments} lead={words.lead}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {isPending && <Loading />}
      {data?.items.length === 0 && <NoSettings />}
      {data && (
        <div className={styles.columns}>
          {environmentNames.map((name) => (
            <Environment
              key={name}
              name={name}
              settings={data.items.find(({ environment }) => environment === name)}
            />
          ))}
        </div>
      )}
    </Page>
  );
}

function NoSettings() {
  const { may, workspaceid } = useSession();
  const input = {
    params: { environment: 'test' },
    query: { workspaceid },
    body: { pins: {}, env: { GREETING: 'Hello' } },
  };
  return (
    <Empty
      icon="environments"
      title={words.none}
      action={may('assistants.flows:update') && <Curl id="setEnvironment" input={input} />}
    >
      {words.noneText}
    </Empty>
  );
}

function Environment({ name, settings }: { name: EnvironmentName; settings: Settings | undefined }) {
  const { may } = useSession();
  return (
    <Panel
      title={name}
      aside={
        may('assistants.flows:update') && (
          <Link href={`/environments/${name}`} className={buttons.button} aria-label={words.editOf(name)}>
            {words.edit}
          </Link>
        )
      }
    >
      <div className={styles.body}>
        <p className={styles.soft}>{words.texts[name]}</p>
        <h3>{words.variables}</h3>
        <Pairs pairs={settings?.env ?? {}} none={words.noVariables} />
        <h3>{words.pins}</h3>
        <Pairs pairs={settings?.pins ?? {}} none={name === 'live' ? words.livePins : words.noPins} />
        <h3>{words.keepValues}</h3>
        <p className={styles.soft}>{words.kept[settings?.keep_values ?? defaultOf(name)]}</p>
        <h3>{words.telemetry}</h3>
        <p className={styles.answer}>{settings?.telemetry?.endpoint ?? words.noTelemetry}</p>
        {settings && (
          <p className={styles.soft}>
            {words.changed} <Ago time={settings.updated_at} />
          </p>
        )}
      </div>
    </Panel>
  );
}

function Pairs({ pairs, none }: { pairs: Readonly<Record<string, unknown>>; none: string }) {
  const entries = Object.entries(pairs);
  if (entries.length === 0) return <p className={styles.soft}>{none}</p>;
  return (
    <dl className={styles.pairs}>
      {entries.map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{String(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
