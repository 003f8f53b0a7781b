// Writes a first agent: a small flow to begin with, and what its card says.
import { useState } from 'react';
import { starterCard, starterFlow } from '#lib/starter-flow.ts';
import { call } from '../api/client.ts';
import { FieldGroup, TextField } from '../parts/form.tsx';
import { Page } from '../parts/page.tsx';
import { useSession } from '../shell/session.tsx';
import { type DraftOwner, dropDraft, readDraft } from './draft.ts';
import { DraftNote } from './draft-note.tsx';
import { FlowEditor } from './flow-editor.tsx';
import { type BuildBody, optional, RegisterPanel } from './register-panel.tsx';
import { useEditedFlow } from './use-edited-flow.ts';
import { words } from './words.ts';

export function NewAgentPage() {
  const { workspaceid } = useSession();
  const [attempt, setAttempt] = useState(0);
  return (
    <NewAgent key={`${workspaceid} ${attempt}`} onDiscarded={() => setAttempt((before) => before + 1)} />
  );
}

const starterName = 'My agent';
const starterText = `${JSON.stringify(starterFlow(starterName), undefined, 2)}\n`;

function NewAgent({ onDiscarded }: { onDiscarded: () => void }) {
  const { me, workspaceid, may } = useSession();
  const owner: DraftOwner = { orgid: me.orgid, person: me.id, workspaceid, flowid: undefined };
  const [draft] = useState(() => readDraft(owner));
  const edited = useEditedFlow({ text: draft?.text ?? starterText, owner, from: undefined });
  const discard = () => {
    dropDraft(owner);
    onDiscarded();
  };
  const isReadOnly = !may('assistants.flows:create');
  return (
    <Page title={words.newAgent} lead={isReadOnly ? words.mayNot : words.newLead}>
      {(draft || edited.isEdited) && <DraftNote edited={edited} onDiscard={discard} />}
      <FlowEditor edited={edited} isReadOnly={isReadOnly} env={noVariables}>
        <RegisterPanel
          edited={edited}
          text={words.registerNew}
          toBody={async (flow, form) => {
            await requireFree(workspaceid, textOf(form, 'flowid'));
            return { ...readForm(form), flow };
          }}
          onRegistered={() => dropDraft(owner)}
        >
          <CardFields />
        </RegisterPanel>
      </FlowEditor>
    </Page>
  );
}

const noVariables = {};

function CardFields() {
  const card = starterCard(starterName);
  const [skill] = card.skills;
  return (
    <>
      <TextField label={words.flowid} name="flowid" hint={words.flowidHint} value="my-agent" isRequired />
      <FieldGroup title={words.card}>
        <TextField label={words.name} name="name" value={card.name} isRequired />
        <TextField
          label={words.description}
          name="description"
          hint={words.descriptionHint}
          value={card.description}
          isRequired
          isLong
        />
        <TextField label={words.skillName} name="skill" value={skill?.name} isRequired />
        <TextField
          label={words.skillDescription}
          name="skillDescription"
          value={skill?.description}
          isRequired
          isLong
        />
      </FieldGroup>
      <TextField label={words.label} name="label" hint={words.labelHint} />
    </>
  );
}

const textOf = (form: FormData, name: string): string => String(form.get(name) ?? '').trim();

function readForm(form: FormData): Omit<BuildBody, 'flow'> {
  const name = textOf(form, 'skill');
  return {
    flowid: textOf(form, 'flowid'),
    agent_card: {
      name: textOf(form, 'name'),
      description: textOf(form, 'description'),
      skills: [{ id: toSkillId(name), name, description: textOf(form, 'skillDescription') }],
    },
    ...optional(form, 'label'),
  };
}

/** Clients name skills by it: `Find an order` becomes `find-an-order`. */
const toSkillId = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 64) || 'skill';

/** The service would add a build to the agent that has the id. */
async function requireFree(workspaceid: string, flowid: string): Promise<void> {
  const page = await call('listRegistryRows', { query: { workspaceid, flowid: [flowid], limit: '1' } });
  if (page.items.length > 0) throw new Error(words.flowidTaken(flowid));
}
