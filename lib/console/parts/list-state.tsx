// What stands in place of a list or a page: it loads, it failed, it has nothing.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { serviceUrl } from '../api/client.ts';
import { ApiError, isMissing, isSignedOut, type Problem } from '../api/problem.ts';
import buttons from './button.module.css';
import { Icon, type IconName } from './icon.tsx';
import styles from './list-state.module.css';
import { words } from './words.ts';

export const Loading = ({ label = words.loading }: { label?: string }) => (
  <div className={styles.loading} role="status">
    <span className={styles.spinner} aria-hidden="true" />
    {label}
  </div>
);

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  /** The one thing to do next. */
  readonly action?: ReactNode;
}

export const Empty = ({ icon, title, children, action }: EmptyProps) => (
  <div className={styles.empty}>
    <span className={styles.badge}>
      <Icon name={icon} size={22} />
    </span>
    <p className={styles.title}>{title}</p>
    {children && <p className={styles.text}>{children}</p>}
    {action}
  </div>
);

interface NoMatchesProps {
  readonly icon: IconName;
  readonly title: string;
  readonly onClear: () => void;
}

/** The list has something, and its filters match nothing. */
export const NoMatches = ({ icon, title, onClear }: NoMatchesProps) => (
  <Empty
    icon={icon}
    title={title}
    action={
      <button type="button" className={buttons.button} onClick={onClear}>
        {words.clearFilters}
      </button>
    }
  />
);

interface LoadMoreProps {
  /** Filters act on what is loaded only, which is said as long as there is more. */
  readonly isFiltered?: boolean;
  /** So does the order. */
  readonly isSorted?: boolean;
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

/** The button below a list whose next page has not been read yet. */
export const LoadMore = ({
  query: { hasNextPage, isFetchingNextPage, fetchNextPage },
  isFiltered = false,
  isSorted = false,
}: LoadMoreProps) =>
  hasNextPage && (
    <div className={styles.more}>
      {isFiltered && <p className={styles.text}>{words.loadedOnly}</p>}
      {isSorted && <p className={styles.text}>{words.sortedOnly}</p>}
      <button
        type="button"
        className={buttons.button}
        disabled={isFetchingNextPage}
        onClick={() => void fetchNextPage()}
      >
        {isFetchingNextPage ? words.loading : words.more}
      </button>
    </div>
  );

interface FailureProps {
  readonly error: unknown;
  /** Those mistakes that are not shown elsewhere. */
  readonly fields?: Problem['fields'];
  /** Offered where another try can help. */
  readonly onRetry?: (() => void) | undefined;
  /** Offered where it cannot. */
  readonly back?: BackTo | undefined;
}

/** Where a page belongs. */
export interface BackTo {
  readonly href: string;
  readonly label: string;
}

/** The error, its request id, and whether to try again. */
export function Failure({ error, fields: some, onRetry, back }: FailureProps) {
  if (isSignedOut(error)) return <SignedOut onRetry={onRetry} />;
  const { title, detail, requestId, fields: all = [], isTransient } = describe(error);
  const fields = some ?? all;
  return (
    <div className={styles.failure} role="alert">
      <span className={styles.failureIcon}>
        <Icon name="warning" />
      </span>
      <div className={styles.failureText}>
        <p className={styles.title}>{title}</p>
        {detail && <p>{detail}</p>}
        {fields.map((field) => (
          <p key={field.pointer}>
            <code>{field.pointer}</code> {field.detail}
          </p>
        ))}
        <p className={styles.text}>
          {isTransient ? words.tryAgainLater : words.tryingAgainWillNotHelp}
          {requestId && ' '}
          <RequestId id={requestId} />
        </p>
      </div>
      {isTransient && onRetry && (
        <button type="button" className={buttons.button} onClick={onRetry}>
          {words.tryAgain}
        </button>
      )}
      {!isTransient && back && <BackLink {...back} />}
    </div>
  );
}

/** The session has ended. Signing in happens in another tab, so that nothing is lost that was typed in this one. */
const SignedOut = ({ onRetry }: Pick<FailureProps, 'onRetry'>) => (
  <div className={styles.failure} role="alert">
    <span className={styles.failureIcon}>
      <Icon name="lock" />
    </span>
    <div className={styles.failureText}>
      <p className={styles.title}>{words.signedOut}</p>
      <p>{words.signedOutText}</p>
    </div>
    <a className={buttons.button} href={serviceUrl('/auth/login')} target="_blank" rel="noopener">
      {words.signInAgain}
    </a>
    {onRetry && (
      <button type="button" className={buttons.button} onClick={onRetry}>
        {words.tryAgain}
      </button>
    )}
  </div>
);

export const BackLink = ({ href, label }: BackTo) => (
  <Link href={href} className={buttons.button}>
    {label}
  </Link>
);

const RequestId = ({ id }: { id: string | undefined }) =>
  id !== undefined && (
    <>
      {words.requestId} <code>{id}</code>
    </>
  );

interface UnreadProps extends Required<Pick<FailureProps, 'error' | 'onRetry' | 'back'>> {
  readonly icon: IconName;
  /** What to say where there is no such thing. */
  readonly title: string;
  readonly text: string;
}

/** In place of the page of a thing that could not be read: there is none, or the reading failed. */
export function Unread({ error, onRetry, back, icon, title, text }: UnreadProps) {
  if (!isMissing(error)) return <Failure error={error} onRetry={onRetry} back={back} />;
  return (
    <>
      <Empty icon={icon} title={title} action={back && <BackLink {...back} />}>
        {text}
      </Empty>
      <p className={styles.missing}>
        <RequestId id={describe(error).requestId} />
      </p>
    </>
  );
}

interface Description extends Problem {
  readonly isTransient: boolean;
}

function describe(error: unknown): Description {
  if (error instanceof ApiError) return { ...error.problem, isTransient: error.isTransient };
  const detail = error instanceof Error ? error.message : undefined;
  return { status: 0, code: 'page_failed', title: words.pageFailed, detail, isTransient: true };
}
