import { command } from '../../../core/command.ts';
import { inputNeeded } from '../../../wizard/questions/refusals.ts';
import { WRITE_CODES } from '../../shared/exit-code-sets.ts';
import { createRequisition } from '../api.ts';
import { DRAFT } from './draft-arg.ts';

export const draftEdit = command({
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
