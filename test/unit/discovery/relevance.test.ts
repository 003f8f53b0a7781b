// Whether people find what they mean: questions as they and their assistants ask them, over forty agents.
import { expect, test } from 'vitest';
import { parseQuestion } from '#lib/discovery/question.ts';
import { rank } from '#lib/discovery/rank.ts';
import { matchSamples } from '#test/support/sample-postings.ts';

const find = (q: string): string[] =>
  rank(parseQuestion(q).words.map(matchSamples)).ranked.map(({ candidate }) => candidate.agent.flowid);

test.each([
  ['where is my order', 'order-status'],
  ['track a parcel', 'order-status'],
  ['I want my money back', 'refund-agent'],
  ['translate a document into German', 'translator'],
  ['translation', 'translator'],
  ['summarise the meeting', 'meeting-notes'],
  ['schedule a meeting with the team', 'calendar-agent'],
  ['read invoices', 'invoice-reader'],
  ['book a hotel', 'travel-agent'],
  ['reset my password', 'access-desk'],
  ['pull request review', 'code-review'],
  ['review this contract for risks', 'contract-review'],
  ['holiday request', 'leave-planner'],
  ['SQL', 'sql-analyst'],
  ['generate unit tests', 'test-writer'],
  ['is this email phishing?', 'phishing-check'],
  ['refunding', 'refund-agent'],
  ['translating documents', 'translator'],
  ['invoi', 'invoice-reader'],
  ['transcrib', 'voice-notes'],
  ['vulnerab', 'vuln-scan'],
  ['postmort', 'incident-bot'],
  ['kuber', 'deploy-agent'],
  ['payrolls', 'payroll-help'],
  ['weather tomorrow', 'weather'],
  ['proofreading', 'proofreader'],
  ['summarizing transcripts', 'meeting-notes'],
  ['expenses', 'expense-audit'],
  ['resumes of applicants', 'recruiter'],
  ['painting a picture', 'image-maker'],
  ['late deliveries of a vendor', 'supplier-chat'],
  ['search engine keywords', 'seo-check'],
  ['price offers', 'quote-maker'],
  ['scoring leads', 'lead-scorer'],
  ['customer support', 'support-triage'],
  ['hr questions of employees', 'payroll-help'],
  ['stock levels in the warehouse', 'stock-keeper'],
  ['write a marketing article', 'blog-writer'],
  ['delete all data about a person (GDPR)', 'privacy-desk'],
  ['rollback a deployment', 'deploy-agent'],
])('"%s" finds %s first', (q, wanted) => {
  expect(find(q)[0]).toBe(wanted);
});

test.each([
  ['customer support', ['support-triage', 'printer-help']],
  ['hr questions of employees', ['payroll-help', 'onboarding']],
  ['stock levels in the warehouse', ['stock-keeper', 'forecast']],
])('"%s" finds %j among the first three', (q, wanted) => {
  expect(find(q).slice(0, 3)).toEqual(expect.arrayContaining(wanted));
});

test('unknown words and stop words find nothing', () => {
  expect(find('quantum chromodynamics')).toEqual([]);
  expect(find('what is it that you can do for me')).toEqual([]);
});
