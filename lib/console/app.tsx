// The frame of all pages: what they share, and which page an address shows.
import { CSPProvider } from '@base-ui/react/csp-provider';
import { Toast } from '@base-ui/react/toast';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Router } from 'wouter';
import { isSignedOut } from './api/problem.ts';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { Shell } from './shell/shell.tsx';
import { Toasts } from './shell/toasts.tsx';

const client = new QueryClient({
  defaultOptions: {
    // A browser without a network still reaches a service of its own machine, and for others a request that fails says
    // more than one that waits: a promotion that was pressed offline must not be sent an hour later.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 2_000,
      retry: (count, error) => count < 2 && !isSignedOut(error) && isTransient(error),
    },
  },
});

const isTransient = (error: unknown): boolean =>
  error instanceof Error && 'isTransient' in error && error.isTransient === true;

/** `/console`, or below the path of a stage. */
const base = new URL(document.baseURI).pathname.replace(/\/$/, '');

export const App = () => (
  <CSPProvider disableStyleElements>
    <QueryClientProvider client={client}>
      <Toast.Provider>
        <Router base={base}>
          <ErrorBoundary>
            <Shell />
          </ErrorBoundary>
          <Toasts />
        </Router>
      </Toast.Provider>
    </QueryClientProvider>
  </CSPProvider>
);
