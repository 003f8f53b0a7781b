// The mark of a node: a pill with an icon and a word on the upper edge of its box.
import { measureText } from '#lib/drawing/text.ts';
import { Icon } from '../parts/icon.tsx';
import type { NodeMark } from './marks.ts';
import styles from './picture.module.css';

export function MarkPill({ mark: { text, icon }, boxWidth }: { mark: NodeMark; boxWidth: number }) {
  const width = measureText(text, { size: 11, isBold: true }) + 30;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: it is not focusable; the button has the mark in its name.
    <g aria-hidden="true" className={styles.pill} transform={`translate(${boxWidth - width - 6} -12)`}>
      <rect width={width} height="18" rx="9" />
      <g transform="translate(7 3)">
        <Icon name={icon} size={12} />
      </g>
      <text x="22" y="13">
        {text}
      </text>
    </g>
  );
}
