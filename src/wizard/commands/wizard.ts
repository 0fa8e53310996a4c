import { command } from '../../context.ts';
import { WRITE_CODES } from '../../core/errors.ts';
import { createRequisition } from '../../nouns/requisition/index.ts';

export const wizard = command({
  path: ['requisition', 'wizard'],
  changes: 'service',
  prints: 'record',
  summary: 'Create a requisition by answering prompts',
  description:
    'Asks for title, type, sector and code, then for groups and their items, shows a review and sends the requisition. proc saves each answer in a draft, one for each organization; after Ctrl-C or a lost connection, the next wizard offers to resume it. The answer < goes back to the previous question. At the end proc prints the command that orders it again. Needs a terminal.',
  flags: {
    from: {
      kind: 'string',
      value: 'earlier',
      doc: 'start from an earlier requisition: its id, code or history entry, or "last"',
    },
  },
  examples: [
    { run: 'proc requisition wizard', doc: 'start a new requisition' },
    {
      run: 'proc requisition wizard --from last',
      doc: 'repeat the last one',
    },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [createRequisition],
  run: async (ctx, _args, flags) =>
    (await import('../../wizard/run-wizard.ts')).runWizard(ctx, flags.from),
});
