// What the card of an agent says, and where and how the agent is called.
import { Link } from 'wouter';
import { CopyBlock, CopyButton } from '../parts/copy.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';
import styles from './agent-page.module.css';
import { callCommand } from './commands.ts';
import { Facts } from './facts.tsx';
import { type Build, buildPath } from './queries.ts';
import { words } from './words.ts';

export const Overview = ({ build }: { build: Build }) => (
  <>
    <Panel title={words.card}>
      <CardFacts build={build} />
    </Panel>
    <Panel title={words.addresses}>
      <Addresses build={build} />
    </Panel>
    <Panel title={words.skills}>
      <Skills skills={build.agent_card.skills} />
    </Panel>
  </>
);

const yesOrNo = (value: boolean) => (value ? words.yes : words.no);

function CardFacts({ build }: { build: Build }) {
  const { flowid, a2aregistryid, build_no, status, visibility, agent_card, tags, updated_at } = build;
  const { description, version, provider, documentationUrl, capabilities } = agent_card;
  return (
    <div className={styles.body}>
      <p>{description}</p>
      <Facts
        facts={[
          [
            status === 'live' ? words.liveBuild : words.build,
            <Link key="build" href={buildPath(flowid, a2aregistryid)}>
              {words.buildNo(build_no)}
            </Link>,
          ],
          ...(status === 'live' ? [] : [[words.liveBuild, words.noLive] as const]),
          [words.visibility, words.visibilities[visibility]],
          [words.cardVersion, version],
          [words.signature, words.signed],
          [words.streaming, yesOrNo(capabilities.streaming)],
          [words.pushNotifications, yesOrNo(capabilities.pushNotifications)],
          [words.inputMode, agent_card.defaultInputModes.join(', ')],
          [words.outputMode, agent_card.defaultOutputModes.join(', ')],
          [words.provider, provider?.organization],
          [words.documentation, documentationUrl],
          [words.tags, tags.length > 0 ? tags.join(', ') : undefined],
          [words.updated, <Ago key="updated" time={updated_at} />],
        ]}
      />
    </div>
  );
}

const Addresses = ({ build: { hosted_url, card_url } }: { build: Build }) => (
  <div className={styles.body}>
    {(
      [
        [words.hostedUrl, hosted_url],
        [words.cardUrl, card_url],
      ] as const
    ).map(([name, url]) => (
      <div key={name} className={styles.address}>
        <div>
          <h3>{name}</h3>
          <code>{url}</code>
        </div>
        <CopyButton text={url} label={name} />
      </div>
    ))}
    <h3>{words.callCurl}</h3>
    <CopyBlock text={callCommand(hosted_url)} label={words.callCurl} />
  </div>
);

const Skills = ({ skills }: { skills: Build['agent_card']['skills'] }) => (
  <ul className={styles.skills}>
    {skills.map(({ id, name, description, tags, examples = [], inputModes, outputModes }) => (
      <li key={id}>
        <h3>{name}</h3>
        <p>{description}</p>
        {examples.length > 0 && (
          <p className={styles.soft}>
            {words.examples}: {examples.join(' · ')}
          </p>
        )}
        <p className={styles.soft}>
          <code>{id}</code>
          {[tags.join(', '), inputModes?.join(', '), outputModes?.join(', ')]
            .filter(Boolean)
            .map((text) => ` · ${text}`)}
        </p>
      </li>
    ))}
  </ul>
);
