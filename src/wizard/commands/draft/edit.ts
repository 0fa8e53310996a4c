import { command } from '../../../core/command.ts';
import { createRequisition } from '../../../nouns/requisition/index.ts';
import { WRITE_CODES } from '../../../nouns/shared/exit-code-sets.ts';
import { DRAFTS } from '../../../wizard/model/drafts.ts';
import { inputNeeded } from '../../../wizard/questions/refusals.ts';
import { draftMeant, ONLY_DRAFT } from './draft-arg.ts';

export const draftEdit = command({
  path: ['requisition', 'draft', 'edit'],
  changes: 'service',
  access: () => 'stage',
  prints: 'record',
  shape: ({ record, responseOf }) =>
    record(responseOf(createRequisition), 'Nothing if the requisition was not sent.'),
  summary: 'Resume a draft in the wizard',
  args: ONLY_DRAFT,
  examples: [
    { run: 'proc requisition draft edit d-7k3mqd', doc: 'continue at the last question' },
    { run: 'proc requisition draft edit d-7k3mqd --lang es', doc: 'the same in Spanish' },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [createRequisition],
  needs: ['io', 'api', 'lookup', 'input', 'ask', 'store', 'self'],
  async run({ args }, ports) {
    if (!ports.io.terminal.interactive) throw inputNeeded('requisition draft edit');
    return (await import('../../../wizard/run-wizard.ts')).runWizard(ports, {
      draft: draftMeant(await ports.store.open(DRAFTS), args.id),
    });
  },
});
