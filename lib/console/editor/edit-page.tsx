// Edits the flow of an agent: from its live build, or else the newest one, or from the build in the address.
import { useMemo, useState } from 'react';
import { Link, useParams, useSearchParams } from 'wouter';
import { agentPath, useBuilds } from '../agents/queries.ts';
import { type ReadBuild, useBuild } from '../api/use-build.ts';
import buttons from '../parts/button.module.css';
import { TextField } from '../parts/form.tsx';
import { BackLink, Empty, Loading, Unread } from '../parts/list-state.tsx';
import { Page } from '../parts/page.tsx';
import { useSession } from '../shell/session.tsx';
import { type DraftOwner, dropDraft, readDraft } from './draft.ts';
import { DraftNote } from './draft-note.tsx';
import { FlowEditor } from './flow-editor.tsx';
import { type BuildBody, optional, RegisterPanel } from './register-panel.tsx';
import { useEditedFlow } from './use-edited-flow.ts';
import { words } from './words.ts';

export function EditPage() {
  const { flowid = '' } = useParams();
  const { workspaceid } = useSession();
  const [search] = useSearchParams();
  const from = search.get('from');
  const all = useBuilds({ flowid: [flowid] });
  const live = useBuilds({ flowid: [flowid], status: ['live'] });
  const found = live.query.isSuccess ? (live.builds[0] ?? all.builds[0])?.a2aregistryid : undefined;
  const build = useBuild(from ?? found);
  const [attempt, setAttempt] = useState(0);
  if (build.data && build.data.row.flowid === flowid)
    return (
      <BuildEditor
        key={`${workspaceid} ${build.data.row.a2aregistryid} ${attempt}`}
        build={build.data}
        onDiscarded={() => setAttempt((before) => before + 1)}
      />
    );
  const error = build.error ?? all.query.error ?? live.query.error;
  const retry = () => void Promise.all([build, all.query, live.query].map((each) => each.refetch()));
  const back =
    from === null
      ? { href: '/agents', label: words.allAgents }
      : { href: `${agentPath(flowid)}?view=builds`, label: words.allBuilds };
  const isNone = build.data || (from === null && all.query.isSuccess && live.query.isSuccess && !found);
  return (
    <Page title={words.editOf(flowid)}>
      {error ? (
        <Unread
          error={error}
          onRetry={retry}
          icon="agents"
          title={words.none}
          text={words.noSuchBuild}
          back={back}
        />
      ) : isNone ? (
        <Empty icon="agents" title={words.none} action={<BackLink {...back} />}>
          {from === null ? words.noneText : words.noSuchBuild}
        </Empty>
      ) : (
        <Loading />
      )}
    </Page>
  );
}

function BuildEditor({ build: { row }, onDiscarded }: { build: ReadBuild; onDiscarded: () => void }) {
  const { flowid, agent_card, a2aregistryid, build_no, version, env_variable = {} } = row;
  const { me, workspaceid, may } = useSession();
  const owner: DraftOwner = { orgid: me.orgid, person: me.id, workspaceid, flowid };
  const [draft] = useState(() => readDraft(owner));
  const now = { id: a2aregistryid, number: build_no, version };
  // What the page shows first stays, also when the build is read again.
  const [stored] = useState(() => `${JSON.stringify(row.flow ?? {}, undefined, 2)}\n`);
  const began = draft?.from ?? now;
  const edited = useEditedFlow({ text: draft?.text ?? stored, owner, from: began });
  const isReadOnly = !may('assistants.flows:create');
  const env = useMemo(() => ({ ...env_variable }), [env_variable]);
  const discard = () => {
    dropDraft(owner);
    onDiscarded();
  };
  return (
    <Page
      title={words.editOf(agent_card.name)}
      lead={isReadOnly ? words.mayNot : words.beginsFrom(build_no)}
      aside={
        <Link href={agentPath(flowid)} className={buttons.button}>
          {agent_card.name}
        </Link>
      }
    >
      {(draft || edited.isEdited) && (
        <DraftNote flowid={flowid} edited={edited} began={began} now={now} onDiscard={discard} />
      )}
      <FlowEditor edited={edited} isReadOnly={isReadOnly} env={env}>
        <RegisterPanel
          edited={edited}
          text={words.registerText(build_no)}
          toBody={(flow, form) => ({
            ...carriedOver(row),
            flow,
            ...optional(form, 'label'),
            ...optional(form, 'note'),
          })}
          onRegistered={() => dropDraft(owner)}
        >
          <TextField label={words.label} name="label" hint={words.labelHint} />
          <TextField label={words.note} name="note" hint={words.noteHint} isLong />
        </RegisterPanel>
      </FlowEditor>
    </Page>
  );
}

/** What the new build has of the one it began from. The service ignores the members of the card that it sets itself. */
const carriedOver = ({
  flowid,
  flow_version,
  visibility,
  agent_card,
  tool_config,
  env_variable,
}: ReadBuild['row']): Omit<BuildBody, 'flow'> => ({
  flowid,
  visibility,
  agent_card,
  ...(flow_version !== undefined && { flow_version }),
  ...(tool_config && { tool_config }),
  ...(env_variable && { env_variable }),
});
