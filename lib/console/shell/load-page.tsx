// Loads the code of a page on its first use.
import { type ComponentType, lazy } from 'react';
import { ApiError } from '../api/problem.ts';
import { Failure } from '../parts/list-state.tsx';

/** A chunk of an earlier release is gone after a deployment: the console is loaded again, once. */
export const loadPage = (key: string, get: () => Promise<{ default: ComponentType }>) =>
  lazy(async () => {
    try {
      const loaded = await get();
      sessionStorage.removeItem(key);
      return loaded;
    } catch (error) {
      // In place of the error page of the browser, from which nothing leads back.
      if (!(await isReachable())) return { default: Unreachable };
      if (sessionStorage.getItem(key)) throw error;
      sessionStorage.setItem(key, 'reloaded');
      location.reload();
      return await new Promise<never>(() => {});
    }
  });

const isReachable = (): Promise<boolean> =>
  fetch(document.baseURI, { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

const unreachable = new ApiError({ status: 0, code: 'unreachable', title: 'The service does not answer' });

/** An import that has failed is not tried again by the browser, so the document is loaded anew. */
const Unreachable = () => (
  <Failure
    error={unreachable}
    onRetry={() =>
      void isReachable().then((isThere) => {
        if (isThere) location.reload();
      })
    }
  />
);
