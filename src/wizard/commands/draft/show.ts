import { command } from '../../../core/command.ts';
import { LOCAL_CODES } from '../../../nouns/shared/exit-code-sets.ts';
import { DRAFTS } from '../../../wizard/model/drafts.ts';
import { payloadOf } from '../../../wizard/model/to-payload.ts';
import { DRAFT } from './draft-arg.ts';
import { DRAFT_COLUMNS, draftRow } from './draft-rows.ts';

export const draftShow = command({
  path: ['requisition', 'draft', 'show'],
  changes: 'nothing',
  prints: 'record',
  summary: 'Show a draft and what it still needs',
  args: DRAFT,
  examples: [
    {
      run: 'proc requisition draft show d-7k3mqd -o json -q payload',
      doc: 'only the payload',
    },
    { run: 'proc requisition draft show d-7k3mqd', doc: 'its content and what it still needs' },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['store'],
  async run({ args }, ports) {
    const draft = (await ports.store.open(DRAFTS)).get(args.id.toLowerCase());
    const { payload, problems } = payloadOf(draft.sheet);
    const value = {
      ...draftRow(draft),
      baseUrl: draft.baseUrl,
      problems: problems.map(({ code, field }) => ({ code, field })),
      payload: payload ?? null,
      sheet: draft.sheet,
    };
    return { kind: 'record', columns: DRAFT_COLUMNS, value };
  },
});
