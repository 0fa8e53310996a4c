import { groupBlocks, headingLines } from '../../../compose/review-table.ts';
import { command } from '../../../core/command.ts';
import type { Block, Row } from '../../../core/result.ts';
import { inShell } from '../../../core/text/typed.ts';
import { wizardMessages } from '../../../messages/wizard-messages.ts';
import { LOCAL_CODES } from '../../../nouns/shared/exit-code-sets.ts';
import { DRAFTS } from '../../../wizard/model/drafts.ts';
import { payloadOf } from '../../../wizard/model/to-payload.ts';
import type { Draft } from '../../model/draft-schema.ts';
import { DRAFT } from './draft-arg.ts';
import { DRAFT_COLUMNS, draftFields, draftRow } from './draft-rows.ts';

export const draftShow = command({
  path: ['requisition', 'draft', 'show'],
  changes: 'nothing',
  prints: 'record',
  shape: (kit) => {
    const { record, z, anyValue } = kit;
    return record(
      z.looseObject({
        ...draftFields(kit),
        baseUrl: z.string(),
        problems: z.array(z.looseObject({ code: z.string(), field: z.string() })),
        payload: anyValue,
        sheet: anyValue,
      }),
    );
  },
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
    return {
      kind: 'record',
      columns: DRAFT_COLUMNS,
      value,
      page: async () => page(draft, value),
    };
  },
});

function page({ id, sheet }: Draft, value: Row): readonly Block[] {
  const columns = DRAFT_COLUMNS.filter(({ key }) => value[key] !== null && value[key] !== '');
  const words = wizardMessages.en;
  const next =
    value.payload === null
      ? `Resume it: proc requisition draft edit ${inShell(id)}`
      : `Send it: proc requisition draft submit ${inShell(id)}`;
  return [
    { record: { columns, value } },
    { lines: headingLines(sheet, words).slice(1) },
    ...groupBlocks(sheet, words),
    { lines: [next] },
  ].filter(({ lines }) => lines?.length !== 0);
}
