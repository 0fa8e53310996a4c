import { command } from '../../../core/command.ts';
import { ProcError } from '../../../core/errors.ts';
import { inShell } from '../../../core/text/typed.ts';
import { wizardMessages } from '../../../messages/wizard-messages.ts';
import { createRequisition } from '../../../nouns/requisition/index.ts';
import { WRITE_CODES } from '../../../nouns/shared/exit-code-sets.ts';
import { DRAFTS } from '../../../wizard/model/drafts.ts';
import { payloadOf } from '../../../wizard/model/to-payload.ts';
import { mustBeHere } from '../../../wizard/questions/refusals.ts';
import { draftMeant, ONLY_DRAFT } from './draft-arg.ts';

export const draftSubmit = command({
  path: ['requisition', 'draft', 'submit'],
  changes: 'service',
  prints: 'record',
  shape: ({ record, responseOf }) => record(responseOf(createRequisition)),
  summary: 'Send a complete draft',
  description:
    'proc deletes a draft when its requisition is created. If the outcome of an earlier attempt is unknown, proc asks for a typed confirmation. If you changed the draft after that attempt, proc asks what to do with it. In a script, add --again to send the draft anyway.',
  args: ONLY_DRAFT,
  examples: [
    { run: 'proc requisition draft submit d-7k3mqd -o id', doc: 'print only the id' },
    {
      run: 'proc requisition draft submit d-7k3mqd --dry-run',
      doc: 'show the request, send nothing',
    },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [createRequisition],
  needs: ['io', 'api', 'lookup', 'ask', 'store', 'self'],
  async run({ args }, ports) {
    const drafts = await ports.store.open(DRAFTS);
    const draft = mustBeHere(drafts.get(draftMeant(drafts, args.id)), await ports.store.scope());
    const { problems } = payloadOf(draft.sheet);
    if (problems.length > 0) {
      const missing = problems.map(
        ({ code, field }) => `${field}: ${wizardMessages.en.problems[code]}`,
      );
      throw new ProcError(
        'invalid_input',
        `draft ${draft.id} is incomplete: ${missing.join('; ')}`,
        {
          hint: `Complete it: proc requisition draft edit ${inShell(draft.id)}`,
          details: { problems: problems.map(({ code, field }) => ({ code, field })) },
        },
      );
    }
    const { sendDraft } = await import('../../submit/submit-draft.ts');
    const result = await sendDraft(ports, drafts, draft);
    if (result !== 'not-sent') return result;
    throw new ProcError('declined', {
      en: `Draft ${draft.id} was not sent.`,
      es: `El borrador ${draft.id} no se envió.`,
    });
  },
});
