// Forty agents as teams of a company would register them, for tests of discovery.
import { publishCard } from '#lib/registry/row/agent-card-input.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';

/** flowid | name | description | tags | skills as "name: description", separated by ";" */
const table = `
support-triage | Support Triage | Sorts incoming customer tickets by urgency and team. | support, tickets | Classify ticket: Decides category, priority and team of a support ticket; Draft reply: Writes a first answer to the customer
order-status | Order Tracker | Tells customers where their parcel is. | orders, shipping, ecommerce | Track order: Looks up an order by number and reports its delivery status
returns-desk | Returns Desk | Handles returns and exchanges of purchased goods. | returns, ecommerce | Start return: Creates a return label for an item; Check eligibility: Says whether a product can still be sent back
refund-agent | Refund Agent | Issues refunds after checking the payment. | payments, refunds | Issue refund: Pays money back to the original card
invoice-reader | Invoice Reader | Extracts line items, totals and tax from scanned invoices. | finance, ocr, documents | Extract invoice: Reads a PDF invoice and gives structured data
expense-audit | Expense Auditor | Checks employee expense reports against travel policy. | finance, compliance | Audit report: Flags receipts that break the policy
payroll-help | Payroll Helper | Answers questions of employees about salary slips and deductions. | hr, finance | Explain payslip: Explains each line of a salary slip
leave-planner | Leave Planner | Books vacation days and checks the remaining balance. | hr, calendar | Request leave: Files a holiday request; Leave balance: Reports days off left
recruiter | CV Screener | Ranks job applicants by how their resume fits a position. | hr, recruiting | Screen resume: Compares a CV with a job description
onboarding | Onboarding Buddy | Guides new employees through their first weeks. | hr, training | Plan first week: Lists accounts, trainings and people to meet
meeting-notes | Meeting Notes | Summarizes meeting transcripts and lists action items. | productivity, meetings | Summarize transcript: Writes minutes with decisions and tasks
calendar-agent | Scheduler | Finds time slots that suit everyone and sends invitations. | calendar, meetings | Schedule meeting: Proposes and books a slot for several people
translator | Polyglot | Translates documents between 40 languages and keeps the layout. | language, documents | Translate document: Translates a file; Detect language: Names the language of a text
proofreader | Proofreader | Corrects grammar, spelling and style of English text. | language, writing | Correct text: Fixes mistakes and explains them
blog-writer | Content Writer | Writes blog articles and marketing copy in the brand's voice. | marketing, writing | Write article: Drafts a post from an outline
seo-check | SEO Analyst | Suggests keywords and finds problems that keep pages from ranking in search engines. | marketing, web | Audit page: Checks titles, links and speed of a web page
social-posts | Social Media Planner | Plans and words posts for social networks. | marketing, social | Plan posts: Makes a calendar of posts for a campaign
lead-scorer | Lead Scorer | Scores sales leads by their chance of buying. | sales, crm | Score lead: Gives a score from 0 to 100 with reasons
crm-update | CRM Clerk | Writes call results and contacts into the customer database. | sales, crm | Log call: Adds a note to a customer record
quote-maker | Quote Maker | Prepares price offers for customers from the product catalog. | sales, pricing | Make quote: Calculates a price offer with discounts
contract-review | Contract Reviewer | Finds risky clauses in contracts and proposes changes. | legal, documents | Review contract: Lists risks by clause; Compare versions: Shows what changed between two drafts
privacy-desk | Privacy Desk | Answers data subject requests under GDPR. | legal, privacy, compliance | Export personal data: Collects all data about a person; Delete personal data: Erases a person's records
sql-analyst | Data Analyst | Answers business questions by querying the warehouse with SQL. | analytics, sql, data | Ask data: Turns a question into SQL and charts the result
dashboard-bot | Dashboard Reporter | Sends daily figures of sales and traffic. | analytics, reporting | Daily report: Summarizes key figures of yesterday
forecast | Demand Forecaster | Predicts demand and stock levels for the next weeks. | analytics, inventory, supply-chain | Forecast demand: Predicts units sold per product
stock-keeper | Stock Keeper | Watches the warehouse and reorders goods that run low. | inventory, supply-chain | Reorder: Creates a purchase order; Check stock: Reports units on hand
supplier-chat | Supplier Liaison | Talks with suppliers about late deliveries. | supply-chain, procurement | Chase delivery: Asks a vendor for a new date
incident-bot | Incident Commander | Coordinates the response to outages and writes the postmortem. | devops, oncall | Open incident: Pages the on-call engineer; Write postmortem: Summarizes cause and timeline
log-digger | Log Digger | Searches application logs and explains errors. | devops, observability | Explain error: Finds the cause of an exception in logs
deploy-agent | Deploy Agent | Rolls out new versions to Kubernetes and rolls back on errors. | devops, deployment | Deploy service: Releases a build; Roll back: Restores the version before
code-review | Code Reviewer | Reviews pull requests for bugs and style. | engineering, code | Review pull request: Comments on a diff
test-writer | Test Writer | Generates unit tests for existing code. | engineering, code, testing | Write unit tests: Covers a module with tests
vuln-scan | Vulnerability Scanner | Finds known vulnerabilities in dependencies and containers. | security, engineering | Scan dependencies: Lists CVEs with fixes
phishing-check | Phishing Checker | Judges whether an email is a phishing attempt. | security, email | Check email: Rates an email and explains signs of fraud
access-desk | Access Desk | Resets passwords and grants access to systems. | it, security | Reset password: Sends a reset link; Grant access: Adds a person to a group
printer-help | IT Helpdesk | Solves laptop, printer and VPN problems of employees. | it, support | Troubleshoot device: Walks through fixes for hardware and network
travel-agent | Travel Booker | Books flights, hotels and trains within policy. | travel, booking | Book flight: Finds and books a flight; Book hotel: Reserves a room
weather | Weather Oracle | Gives forecasts of the weather for any city. | weather | Weather forecast: Temperature and rain for the next days
image-maker | Image Studio | Creates illustrations and product pictures from a description. | images, design | Generate image: Paints a picture from text; Remove background: Cuts out the subject
voice-notes | Voice Transcriber | Turns audio recordings into text. | audio, speech | Transcribe audio: Writes down what is said, with speakers
`;

const buildCard = (input: Parameters<typeof publishCard>[0]) =>
  publishCard(input, { url: 'https://agents.example/', version: '1.0.0' });

export const sampleAgents: readonly StoredRow[] = table
  .trim()
  .split('\n')
  .map((line, n) => {
    const [flowid = '', name = '', description = '', tagList = '', skillList = ''] = line.split(' | ');
    const tags = tagList.split(', ');
    const skills = skillList.split('; ').map((skill) => {
      const [skillName = '', text = ''] = skill.split(': ');
      return { id: skillName.toLowerCase().replaceAll(' ', '-'), name: skillName, description: text };
    });
    return sampleRow(
      { flowid, card: JSON.stringify(buildCard({ name, description, tags, skills })), tags },
      n,
    );
  });

function sampleRow(some: Pick<StoredRow, 'flowid' | 'card' | 'tags'>, n: number): StoredRow {
  const signature = { protected: '', signature: '' };
  return {
    ...some,
    a2aregistryid: `reg_${String(n).padStart(26, '0')}`,
    build_no: 1,
    workspaceid: 'ws_sample',
    orgid: 'org_sample',
    status: 'live',
    visibility: 'public',
    signatures: { test: signature, live: signature },
    gateway_url: 'https://agents.example',
    owns_live_url: true,
    egress: [],
    payload_id: 'payload',
    payload_chunks: 1,
    version: 1,
    created_at: '2026-11-21T00:00:00.000Z',
    updated_at: '2026-11-21T00:00:00.000Z',
    created_by: 'key_sample',
  };
}
