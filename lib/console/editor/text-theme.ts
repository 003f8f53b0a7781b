// How the text of a flow looks: the colours of the console, which reach into the shadow tree as variables.
import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

export const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: tags.number, color: 'var(--wait)' },
  { tag: [tags.bool, tags.null], color: 'var(--node-model)' },
  { tag: [tags.separator, tags.brace, tags.squareBracket], color: 'var(--text-soft)' },
]);

const popup = {
  border: '1px solid var(--line)',
  borderRadius: 'var(--round)',
  background: 'var(--surface)',
  color: 'var(--text)',
  boxShadow: 'var(--shadow)',
};

export const theme = EditorView.theme({
  '&': { blockSize: '100%', background: 'var(--surface)', color: 'var(--text)', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', paddingBlock: '8px' },
  '.cm-gutters': {
    background: 'var(--sunken)',
    color: 'var(--text-soft)',
    borderInlineEnd: '1px solid var(--line)',
  },
  '.cm-cursor': { borderInlineStartColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--accent-soft)',
  },
  '&.cm-focused .cm-matchingBracket': { background: 'var(--accent-soft)' },
  '.cm-foldPlaceholder': {
    border: '1px solid var(--line)',
    background: 'var(--sunken)',
    color: 'var(--text-soft)',
  },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--wait)' },
  '.cm-tooltip': popup,
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--accent-fill)',
    color: 'var(--on-accent)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', color: 'inherit' },
  '.cm-completionInfo': { ...popup, maxInlineSize: '320px', padding: '6px 10px' },
  '.cm-diagnostic': { padding: '6px 10px', maxInlineSize: '420px' },
  '.cm-diagnostic-error': { borderInlineStart: '4px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderInlineStart: '4px solid var(--wait)' },
  '.cm-panels': { background: 'var(--sunken)', color: 'var(--text)', borderColor: 'var(--line)' },
  '.cm-panel.cm-panel-lint ul [aria-selected]': { background: 'var(--accent-soft)' },
  '.cm-textfield, .cm-button': {
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    background: 'var(--surface)',
    backgroundImage: 'none',
    color: 'var(--text)',
  },
  '.cm-searchMatch': { background: 'var(--wait-soft)' },
  '.cm-searchMatch-selected': { background: 'var(--accent-soft)' },
});
