// Rules of the service that JSON Schema cannot say, so that the OpenAPI document leaves them to its
// descriptions. A request that fits the document may be refused for these; each mistake still names its field
// and what was expected.
import type { Rule } from './checks.ts';

export const rules: readonly Rule[] = [
  {
    mistake: /(^\/query\/cursor|\n- cursor:) must be the next cursor of an answer/,
    why: 'Only the service makes cursors.',
  },
  {
    mistake:
      / does not combine with | must not be given beside | must be before `to`| must not be after `to`, /,
    why: 'Parameters that exclude or bound each other.',
  },
  {
    mistake:
      / must not contain control, bidirectional or invisible characters$| must be text without control characters$/,
    why: 'Character classes of Unicode, which patterns of all validators do not know alike.',
  },
  {
    operations: /RegistryRow$|^createApiKey$|Workspace$/,
    mistake: /^\/body\/\S+ must have at least 1 character$/,
    why: 'White space around names does not count.',
  },
  {
    mistake: / is a reserved word$| must not begin like the id of a trigger/,
    why: 'Words that are routes, and the ids of the other kind.',
  },
  {
    mistake: / must not be nested deeper than 100 levels$/,
    why: 'JSON Schema does not know depth.',
  },
  {
    mistake: / is a name that no member may have$/,
    why: 'Names that reach for prototypes.',
  },
  {
    operations: /Row$|^(triggerFlow|startRun|replayRun|forkRun|sendRunEvent|createTrigger|updateTrigger)$/,
    mistake: / must (be smaller|have at most|take)?.*bytes/,
    why: 'Sizes in bytes of JSON, while JSON Schema counts characters.',
  },
  {
    operations: /Trigger$/,
    mistake:
      /^\/body\/(schedule|callback_url|environment|source|deliver|message|user_variables)\S* (must|is|expected) (have exactly one of|an IANA|only for|not for|be |required|not a cron|.*expression)/,
    why: 'What a schedule is, and which members go with which kind.',
  },
  {
    operations: /^acceptWebhook$/,
    mistake: /^\/body\/(event|data) /,
    why: 'A body of `event` and `data` alone is a named event, while any other JSON is accepted.',
  },
  {
    operations: /^sendRunEvent$/,
    mistake: /^\/body\/key must be a text of 1 to/,
    why: 'A number or a text, and the characters of the text.',
  },
  {
    operations: /Trigger$|^(start|trigger)/,
    mistake: /^\/body\/callback_url must /,
    why: 'Addresses that the service may call.',
  },
  {
    operations: /Trigger$/,
    mistake: /^\/body\/source\/signed (must contain \{(body|timestamp)\} once|may contain \{id\})/,
    why: 'How often a placeholder occurs, and with which other members.',
  },
  {
    operations: /^(triggerFlow|startRun)$/,
    mistake: /^\/body\/files\/\d+ must be a file of the workspace$/,
    why: 'Which files exist.',
  },
  {
    operations: /Trigger$/,
    mistake: /^\/body\/flowid must be a flow of the workspace$/,
    why: 'What exists.',
  },
  {
    operations: /^tryConnection$/,
    mistake: /^\/body\/url must be (at a host of the connection|given, because)/,
    why: 'The hosts of a connection that is stored.',
  },
  {
    operations: /^(replayRun|forkRun)$/,
    mistake: /^\/body\/a2aregistryid must be (a build of the flow|the live build)/,
    why: 'What exists, and which build is live.',
  },
  {
    operations: /^forkRun$/,
    mistake:
      /^\/body\/(from must (be|name)|outputs\/\S+ must be of a node|state(\/\S+)? must (have|be a variable))/,
    why: 'Which executions, nodes and variables the run has.',
  },
  {
    operations: /^(setEnvironment|tryTelemetry)$/,
    mistake: /^\/body\/telemetry\/endpoint must be an https URL without user name, password or fragment$/,
    why: 'The format `uri` does not exclude schemes and parts of a URL.',
  },
  {
    operations: /^tryTelemetry$/,
    mistake: /^\/body\/telemetry must be given, because/,
    why: 'Whether the environment has a sink.',
  },
  {
    operations: /^setEnvironment$/,
    mistake: /^\/body\/pins(\/\S+)? must (be a build of this flow|be empty: promotion)/,
    why: 'What exists, and that promotion says what is live.',
  },
  {
    operations: /^putConnection$/,
    mistake: /^\/body\/hosts\/\d+ expected a host/,
    why: 'The one form that URLs show an IPv6 address in, and which names in Punycode there are.',
  },
  {
    operations: /^putConnection$/,
    mistake: /^\/body\/credential\/\w+_url must be an https URL without user or fragment$/,
    why: 'The format `uri` does not exclude parts of a URL.',
  },
  {
    operations: /^tryConnection$/,
    mistake: /^\/body\/url must be an https URL$/,
    why: 'The format `uri` does not exclude schemes.',
  },
  {
    operations: /^setWebhookSecret$/,
    mistake: /^\/body\/secret must be "whsec_" and /,
    why: 'Only secrets of triggers have the form of their source.',
  },
  {
    operations: /^resumeRun$/,
    mistake: /^\/body\/(answer |id must be one of )/,
    why: 'Which questions the run asks, and what they ask for.',
  },
  {
    operations: /^createApiKey$/,
    mistake: /^\/body\/(expires_at must be in the future|scopes|workspaces)/,
    why: 'What the key that asks may give away.',
  },
  {
    operations: /Member$/,
    mistake: /^\/body\/roles\/\S+ must be a workspace of the organisation/,
    why: 'What exists.',
  },
  {
    operations: /^call\w+Agent$|^callAgent$/,
    mistake: /must be smaller|bytes of JSON|nested deeper|must be a URL|another agent|of the same/,
    why: 'Sizes in bytes of JSON, and what the agent is sent.',
  },
];
