// The flow that is being edited: its text, which is kept as a draft, its check, and what the service found in it.
import { useEffect, useMemo, useRef, useState } from 'react';
import type { JsonObject } from '#lib/json/json.ts';
import { ApiError } from '../api/problem.ts';
import { type Draft, type DraftOwner, keepDraft, watchDraft } from './draft.ts';
import type { Problem } from './flow-text.ts';
import { type Check, useCheckedText } from './use-checked-text.ts';
import { type AskWorker, useFlowWorker } from './use-flow-worker.ts';

export interface EditedFlow {
  readonly text: string;
  /** What the field begins with. */
  readonly initial: string;
  readonly edit: (text: string) => void;
  readonly check: Check | undefined;
  readonly problems: readonly Problem[];
  readonly ask: AskWorker;
  /** The text, as it is now, was checked and has no mistakes. */
  readonly isValid: boolean;
  /** The document, if it is valid. */
  readonly flow: JsonObject | undefined;
  readonly isEdited: boolean;
  readonly isKept: boolean;
  /** Another window of the browser keeps another text as the draft. */
  readonly isElsewhere: boolean;
  /** Shows the mistakes that the service names in its answer at their places. */
  readonly showRefusal: (error: unknown) => Promise<void>;
}

interface Beginning {
  readonly text: string;
  readonly owner: DraftOwner;
  readonly from: Draft['from'];
}

/** The first owner counts: a page for another one is another page. */
export function useEditedFlow({ text: initial, owner: givenOwner, from }: Beginning): EditedFlow {
  const ask = useFlowWorker();
  const [owner] = useState(givenOwner);
  const [text, setText] = useState(initial);
  const { isKept, isElsewhere, keep } = useKeptDraft(owner, { text, ...(from && { from }) }, initial);
  const [refusal, setRefusal] = useState<{ readonly text: string; readonly problems: readonly Problem[] }>();
  const check = useCheckedText(text, ask);
  const edit = (next: string) => {
    setText(next);
    keep(next);
  };
  const problems = useMemo(
    () => [...(refusal?.text === text ? refusal.problems : []), ...(check?.problems ?? [])],
    [refusal, text, check],
  );
  const showRefusal = async (error: unknown) => {
    const mistakes = findFlowMistakes(error);
    if (mistakes.length > 0) setRefusal({ text, problems: await ask('locate', { text, mistakes }) });
  };
  const isChecked = check?.text === text && !check.hasFailed;
  const isValid = isChecked && !check.problems.some(({ severity }) => severity === 'error');
  return {
    text,
    initial,
    edit,
    check,
    problems,
    ask,
    isValid,
    flow: isValid ? check.flow : undefined,
    isEdited: text !== initial,
    isKept,
    isElsewhere,
    showRefusal,
  };
}

/** All windows of a browser share one draft: the text that was changed last is kept. */
function useKeptDraft(owner: DraftOwner, draft: Draft, initial: string) {
  const [isKept, setKept] = useState(true);
  const [isElsewhere, setElsewhere] = useState(false);
  const latest = useRef(draft);
  latest.current = draft;
  useEffect(
    () =>
      watchDraft(owner, (other) => {
        const own = latest.current;
        setElsewhere(other !== undefined && other.text !== own.text);
        // The other window has registered its text, or discarded it: that of this one is a draft still.
        if (!other && own.text !== initial) setKept(keepDraft(owner, own));
      }),
    [owner, initial],
  );
  const keep = (text: string) => {
    setElsewhere(false);
    setKept(keepDraft(owner, { ...latest.current, text }));
  };
  return { isKept, isElsewhere, keep };
}

/** In the body of the request, the flow is a member. */
const prefix = '/body/flow';

const findFlowMistakes = (error: unknown) =>
  (error instanceof ApiError ? (error.problem.fields ?? []) : []).flatMap(({ pointer, detail }) =>
    pointer === prefix || pointer.startsWith(`${prefix}/`)
      ? [{ pointer: pointer.slice(prefix.length), detail }]
      : [],
  );
