import { command } from '../../../core/command.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Row } from '../../../core/result.ts';
import { LOCAL_CODES } from '../../../nouns/shared/exit-code-sets.ts';
import { outcomesOf } from '../../../wizard/model/attempts.ts';
import type { Draft } from '../../../wizard/model/draft-schema.ts';
import { DRAFTS } from '../../../wizard/model/drafts.ts';
import { DRAFT_COLUMNS, draftFields, draftRow } from './draft-rows.ts';

export const draftList = command({
  path: ['requisition', 'draft', 'list'],
  changes: 'nothing',
  prints: 'list',
  shape: (kit) => kit.list(kit.z.looseObject({ ...draftFields(kit), sent: kit.textOrNull })),
  summary: 'List drafts, newest first',
  examples: [
    { run: 'proc requisition draft list', doc: 'drafts and what each still needs' },
    { run: 'proc requisition draft list -o id', doc: 'only the ids' },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'store', 'self'],
  async run(_, ports) {
    const drafts = (await ports.store.open(DRAFTS)).list((error) =>
      ports.io.say({ kind: 'warning', text: error.message }),
    );
    const rows: Row[] = [];
    for (const draft of drafts)
      rows.push({ ...draftRow(draft), sent: await sentText(draft, ports) });
    return { kind: 'rows', columns: DRAFT_COLUMNS, rows, empty: 'No drafts.' };
  },
});

/** Null unless an earlier attempt to send the draft created a requisition or may have created one. */
async function sentText(draft: Draft, ports: Ports<'store' | 'self'>): Promise<string | null> {
  const { created, unknown } = await outcomesOf(draft, ports);
  if (created[0] !== undefined) return `created ${created[0].created ?? created[0].id}`;
  return unknown === undefined ? null : `outcome unknown (${unknown.id})`;
}
