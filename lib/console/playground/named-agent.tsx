// The playground of a person who may call agents, but not list them: they name the agent, whose live build is called.
import { type FormEvent, useCallback } from 'react';
import { useParams, useSearchParams } from 'wouter';
import { serviceUrl } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import form from '../parts/form.module.css';
import { TextField } from '../parts/form.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Chat } from './chat.tsx';
import { words } from './words.ts';

export function NamedAgent() {
  const { flowid: ofPath } = useParams();
  const [search, setSearch] = useSearchParams();
  const flowid = ofPath ?? search.get('flowid') ?? undefined;
  const keepContext = useCallback(
    (context: string) =>
      setSearch((before) => new URLSearchParams([...without(before, 'context'), ['context', context]]), {
        replace: true,
      }),
    [setSearch],
  );
  const choose = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const chosen = String(new FormData(event.currentTarget).get('flowid') ?? '').trim();
    if (chosen) setSearch({ flowid: chosen });
  };
  return (
    <Page title={flowid ?? words.playground} lead={words.lead}>
      {ofPath === undefined && (
        <Panel title={words.agent}>
          <form className={form.form} onSubmit={choose}>
            <TextField
              key={flowid}
              label={words.flowid}
              name="flowid"
              hint={words.flowidHint}
              value={flowid}
              isRequired
            />
            <div className={form.actions}>
              <button type="submit" className={buttons.button}>
                {words.talk}
              </button>
            </div>
          </form>
        </Panel>
      )}
      {flowid !== undefined && (
        <Chat
          key={flowid}
          url={serviceUrl(`/api/v1/ai/a2a/${encodeURIComponent(flowid)}/`)}
          name={flowid}
          examples={[]}
          contextId={search.get('context') ?? undefined}
          onContext={keepContext}
        />
      )}
    </Page>
  );
}

const without = (search: URLSearchParams, name: string): [string, string][] =>
  [...search].filter(([each]) => each !== name);
