import { type CommandSpec, type Context, command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Column, Result, Row } from '../../core/result.ts';
import { inShell, typedAgain } from '../../core/text/typed.ts';
import { wizardMessages } from '../../messages/wizard.ts';
import { createRequisition } from '../../nouns/requisition/api.ts';
import { WRITE_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { fateOf } from '../model/attempts.ts';
import type { Draft } from '../model/draft-schema.ts';
import { Drafts } from '../model/drafts.ts';
import { payloadOf } from '../model/to-payload.ts';
import { inputNeeded, mustBeHere } from '../questions/refusals.ts';

const DRAFT = {
  id: { doc: 'id of the draft, such as d-7k3mqd', from: 'proc requisition draft list' },
} as const;
const LOCAL_CODES = [EXIT.configuration] as const;

const COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID', priority: 4 },
  { key: 'title', header: 'TITLE', priority: 3 },
  { key: 'groups', header: 'GROUPS', kind: 'number' },
  { key: 'items', header: 'ITEMS', kind: 'number' },
  { key: 'missing', header: 'MISSING', priority: 2 },
  { key: 'sent', header: 'SENT', priority: 2 },
  { key: 'updated', header: 'UPDATED', priority: 2 },
  { key: 'profile', header: 'PROFILE' },
  { key: 'environment', header: 'ENVIRONMENT' },
];

const wizard = command({
  path: ['requisition', 'wizard'],
  changes: 'service',
  prints: 'record',
  summary: 'Put a requisition together by answering questions',
  description:
    'Asks for title, type, sector and code, then for groups with their items, shows the whole as tables and sends it. Each answer is kept at once as a draft: after Ctrl-C or a lost connection the next wizard goes on. At the end it shows the command that does the same. It needs a terminal; ACCESSIBLE=1 makes the questions plain lines for screen readers, --lang es Spanish.',
  flags: {
    from: {
      kind: 'string',
      value: 'earlier',
      doc: 'begin with an earlier one: the id of a requisition, of an entry in history, "last", or a JSON file',
    },
  },
  examples: [
    { run: 'proc requisition wizard', doc: 'from the first question' },
    { run: 'proc requisition wizard --from last --lang es', doc: 'the last one again, in Spanish' },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [createRequisition],
  handler: async ({ flags }, ctx) => (await ctx.wizard()).run(ctx, { from: flags.from }),
});

const draftList = command({
  path: ['requisition', 'draft', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List the drafts, the latest first',
  examples: [
    { run: 'proc requisition draft list', doc: 'with what each still misses' },
    { run: 'proc requisition draft list -o id', doc: 'the ids alone' },
  ],
  exitCodes: LOCAL_CODES,
  async handler(_, ctx) {
    const drafts = new Drafts(ctx.env, ctx.clock).list((error) =>
      ctx.say({ kind: 'warning', text: error.message }),
    );
    const rows: Row[] = [];
    for (const draft of drafts) rows.push({ ...draftRow(draft), sent: await sentText(draft, ctx) });
    return { kind: 'rows', columns: COLUMNS, rows, empty: 'No drafts.' };
  },
});

const draftShow = command({
  path: ['requisition', 'draft', 'show'],
  changes: 'nothing',
  prints: 'record',
  summary: 'Show a draft: its payload, or what it still misses',
  args: DRAFT,
  examples: [
    { run: 'proc requisition draft show d-7k3mqd -o json -q payload', doc: 'what would be sent' },
    { run: 'proc requisition draft show d-7k3mqd', doc: 'what it holds, and what it still misses' },
  ],
  exitCodes: LOCAL_CODES,
  async handler({ args }, ctx) {
    const draft = new Drafts(ctx.env, ctx.clock).get(args.id.toLowerCase());
    const { payload, problems } = payloadOf(draft.sheet);
    const value = {
      ...draftRow(draft),
      baseUrl: draft.baseUrl,
      problems: problems.map(({ code, field }) => ({ code, field })),
      payload: payload ?? null,
      sheet: draft.sheet,
    };
    return { kind: 'record', columns: COLUMNS, value };
  },
});

const draftEdit = command({
  path: ['requisition', 'draft', 'edit'],
  changes: 'service',
  prints: 'record',
  summary: 'Go on with a draft in the wizard',
  args: DRAFT,
  examples: [
    { run: 'proc requisition draft edit d-7k3mqd', doc: 'at the question it stood at' },
    { run: 'proc requisition draft edit d-7k3mqd --lang es', doc: 'the same, in Spanish' },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [createRequisition],
  async handler({ args }, ctx) {
    if (!ctx.terminal.interactive) throw inputNeeded('requisition draft edit');
    return (await ctx.wizard()).run(ctx, { draft: args.id.toLowerCase() });
  },
});

const draftSubmit = command({
  path: ['requisition', 'draft', 'submit'],
  changes: 'service',
  prints: 'record',
  summary: 'Send a draft as it is',
  description:
    'Nothing may be missing. After a send whose outcome is not known, it takes typed consent, or --again off a terminal. Where it was created and the draft was changed since, it asks what to do, or takes --again. A draft that was sent is gone; --dry-run leaves it as it is.',
  args: DRAFT,
  examples: [
    { run: 'proc requisition draft submit d-7k3mqd -o id', doc: 'printing the id alone' },
    { run: 'proc requisition draft submit d-7k3mqd --dry-run', doc: 'what would be sent' },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [createRequisition],
  async handler({ args }, ctx) {
    const drafts = new Drafts(ctx.env, ctx.clock, ctx.previewing);
    const draft = mustBeHere(drafts.get(args.id.toLowerCase()), await ctx.scope());
    const { problems } = payloadOf(draft.sheet);
    if (problems.length > 0) {
      const missing = problems.map(
        ({ code, field }) => `${field}: ${wizardMessages.en.problems[code]}`,
      );
      throw new ProcError(
        'invalid_input',
        `draft ${draft.id} is not complete: ${missing.join('; ')}`,
        {
          hint: `Complete it: proc requisition draft edit ${inShell(draft.id)}`,
          details: { problems: problems.map(({ code, field }) => ({ code, field })) },
        },
      );
    }
    const result = await (await ctx.wizard()).submit(ctx, drafts, draft);
    if (result !== 'not-sent') return result;
    throw new ProcError('confirmation_required', `draft ${draft.id} was not sent`);
  },
});

const draftDiscard = command({
  path: ['requisition', 'draft', 'discard'],
  changes: 'local',
  prints: 'list',
  summary: 'Throw drafts away',
  args: { ids: { doc: 'ids of drafts', variadic: true, from: 'proc requisition draft list' } },
  examples: [
    { run: 'proc requisition draft discard d-7k3mqd', doc: 'after asking' },
    { run: 'proc requisition draft discard d-7k3mqd --yes', doc: 'in a script' },
  ],
  exitCodes: LOCAL_CODES,
  async plan({ args }, ctx) {
    const drafts = new Drafts(ctx.env, ctx.clock);
    const found = args.ids.map((id) => drafts.get(id.toLowerCase()));
    const rows = (mark: Row): Result => ({
      kind: 'rows',
      columns: [{ key: 'id', header: 'ID' }],
      rows: found.map(({ id }) => ({ id, ...mark })),
      empty: 'No drafts.',
    });
    return {
      would: () => rows({ dryRun: true }),
      async apply() {
        for (const draft of found) await confirmDiscard(draft, ctx);
        for (const { id } of found) drafts.discard(id);
        return rows({ discarded: true });
      },
    };
  },
});

async function confirmDiscard({ id, sheet }: Draft, ctx: Context): Promise<void> {
  if (ctx.globals.yes) return;
  if (!ctx.terminal.interactive) {
    throw new ProcError(
      'confirmation_required',
      `throwing draft ${id} away needs a confirmation, and nobody can be asked here`,
      { hint: `Add --yes: ${typedAgain(ctx.typed, ['--yes'])}` },
    );
  }
  const question = wizardMessages[await ctx.lang()].discard(sheet.title ?? id);
  if (await (await ctx.prompts()).confirm(question, false)) return;
  throw new ProcError('confirmation_required', 'not confirmed; every draft is as it was');
}

/** What became of earlier sends of a draft; null where there was none that may have arrived. */
async function sentText(draft: Draft, ctx: Context): Promise<string | null> {
  const { created, unknown } = await fateOf(draft, ctx);
  if (created[0] !== undefined) return `created ${created[0].created ?? created[0].id}`;
  return unknown === undefined ? null : `outcome not known (${unknown.id})`;
}

function draftRow({ id, sheet, updated, profile, environment }: Draft): Row {
  const { problems } = payloadOf(sheet);
  return {
    id,
    title: sheet.title ?? null,
    groups: sheet.groups.length,
    items: sheet.groups.reduce(
      (count, { lines, pasted = [] }) => count + lines.length + pasted.length,
      0,
    ),
    missing: [...new Set(problems.map(({ code }) => wizardMessages.en.problems[code]))].join('; '),
    updated: new Date(updated).toISOString(),
    profile: profile ?? null,
    environment: environment ?? null,
  };
}

export const commands: readonly CommandSpec[] = [
  wizard,
  draftList,
  draftShow,
  draftEdit,
  draftSubmit,
  draftDiscard,
];
