// The texts of the parts that all pages share.
export const words = {
  loading: 'Loading',
  tryAgain: 'Try again',
  tryAgainLater: 'Trying again may help.',
  tryingAgainWillNotHelp: 'Trying again will not help as long as nothing else changes.',
  requestId: 'Request id',
  pageFailed: 'This page has failed',
  more: 'Load more',
  clearFilters: 'Clear filters',
  copy: 'Copy',
  copied: 'Copied',
  command: 'the command',
  withCurl: 'The same with curl',
  back: 'Back',
  actions: 'Actions',
} as const;
