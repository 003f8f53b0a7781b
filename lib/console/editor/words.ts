// The texts of the editor of flows.
import { formatCount } from '../parts/format.ts';

const plural = (count: number, one: string, many: string) =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

export const words = {
  edit: 'Edit the flow',
  editOf: (name: string) => `Edit ${name}`,
  newAgent: 'New agent',
  newLead:
    'A flow, and the card that tells others what it does. It is registered as a build, which can be tried and promoted.',
  beginsFrom: (number: number) => `From build ${number}`,
  text: 'Text',
  flowAsText: 'Flow as text',
  textHint: 'JSON or YAML. Ctrl Space completes, F8 goes to the next problem, Tab leaves the field.',
  loadingText: 'Loading the editor',
  textFailed: 'The editor could not be loaded. Reload the page.',
  picture: 'Picture',
  nodes: 'Nodes',
  noPicture: 'There is a picture as soon as the flow has a start and nodes.',
  problems: 'Problems',
  problemList: 'Mistakes and warnings',
  checking: 'Checking …',
  checkFailed: 'The check could not be loaded. The service checks the flow when it is registered.',
  noProblems: 'No mistakes, no warnings.',
  found: (mistakes: number, warnings: number) =>
    [
      ...(mistakes > 0 ? [plural(mistakes, 'mistake', 'mistakes')] : []),
      ...(warnings > 0 ? [plural(warnings, 'warning', 'warnings')] : []),
    ].join(', '),
  mistake: 'Mistake',
  warning: 'Warning',
  line: (line: number) => `Line ${formatCount(line)}`,
  wholeFlow: 'the flow',
  unlisted: (count: number) => `${plural(count, 'more mistake is', 'more mistakes are')} not listed.`,
  tests: 'Tests',
  runTests: 'Run tests',
  testing: 'Running',
  testsText:
    'They run in this browser and send nothing: a node that calls a model, an API or another agent needs a mock, and here a node with code too.',
  testsNeedFlow: 'The flow has mistakes: without them, its tests can run.',
  noTests: 'The flow has no tests: add some to its member tests.',
  testsPassed: (passed: number, all: number) => `${formatCount(passed)} of ${formatCount(all)} passed`,
  testsOutdated: 'The flow has changed since.',
  showPath: 'Show path',
  showPathOf: (name: string) => `Show path: ${name}`,
  inPath: (times: readonly number[]) => `Step ${times.join(', ')} of the test`,
  register: 'Register build',
  registerTitle: 'Register a build',
  registerText: (number: number) =>
    `The new build gets the card, the visibility and the variables of build ${number}. Nobody calls it at the hosted URL until it is promoted.`,
  registerNew: 'The first build of the agent. Nobody calls it at the hosted URL until it is promoted.',
  label: 'Label',
  labelHint: 'Optional: a name of the build, such as “spring sale”.',
  note: 'Note',
  noteHint: 'Optional: what the organisation should know of it.',
  notYet: 'The flow has mistakes, which are in the list of problems.',
  registered: (number: number) => `Build ${number} is registered`,
  mayNot:
    'You can read the flow and run its tests here, but not register a build: your role lacks the permission assistants.flows:create.',
  draft: 'A draft of yours is shown.',
  draftKept: 'Changes are kept in this browser until the build is registered.',
  draftOf: (number: number) => `It began from build ${number}.`,
  draftLost: 'This browser does not keep the draft: copy the text before you leave.',
  otherWindow:
    'Another window of this browser edits the flow too. The browser keeps the text that was changed last.',
  movedOn: (before: number, now: number) =>
    before === now
      ? `Build ${now} was changed since the draft began.`
      : `The draft began from build ${before}; this page is now about build ${now}, whose card a new build gets.`,
  changesOf: 'What changed between them',
  discard: 'Discard draft',
  discardTitle: 'Discard the draft?',
  discardText: 'The text is again that of the build. What you have changed is lost.',
  flowid: 'Flow id',
  flowidHint: 'The agent in addresses: letters, digits, “.”, “_” and “-”. It cannot be changed later.',
  flowidTaken: (id: string) =>
    `There is an agent with the id ${id} already: choose another id, or edit that one.`,
  card: 'Card',
  name: 'Name',
  description: 'Description',
  descriptionHint: 'What the agent does, for people and for other agents that look for one.',
  skill: 'Skill',
  skillName: 'Name of the skill',
  skillDescription: 'What the skill does',
  none: 'There is no build to edit',
  noSuchBuild: 'The agent has no build with the id in the address.',
  allAgents: 'All agents',
  allBuilds: 'All builds of the agent',
  noneText: 'The agent has no build in this workspace.',
} as const;
