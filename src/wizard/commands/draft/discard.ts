import { command } from '../../../core/command.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Result, Row } from '../../../core/result.ts';
import { wizardMessages } from '../../../messages/wizard-messages.ts';
import { LOCAL_CODES } from '../../../nouns/shared/exit-code-sets.ts';
import { confirmChange } from '../../../terminal/confirm-change.ts';
import type { Draft } from '../../../wizard/model/draft-schema.ts';
import { DRAFTS } from '../../../wizard/model/drafts.ts';

export const draftDiscard = command({
  path: ['requisition', 'draft', 'discard'],
  changes: 'local',
  prints: 'list',
  shape: ({ z, maybe, list }) =>
    list(z.looseObject({ id: z.string(), discarded: maybe(z.boolean()) })),
  summary: 'Delete drafts',
  args: { ids: { doc: 'ids of the drafts', variadic: true, from: 'proc requisition draft list' } },
  examples: [
    { run: 'proc requisition draft discard d-7k3mqd', doc: 'ask first' },
    { run: 'proc requisition draft discard d-7k3mqd --yes', doc: 'in a script' },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'ask', 'store', 'self'],
  async plan({ args }, ports) {
    const drafts = await ports.store.open(DRAFTS);
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
        for (const draft of found) await confirmDiscard(draft, ports);
        for (const { id } of found) drafts.discard(id);
        return rows({ discarded: true });
      },
    };
  },
});

function confirmDiscard({ id, sheet }: Draft, ports: Ports<'io' | 'ask' | 'self'>): Promise<void> {
  const change = {
    question: async () => wizardMessages[await ports.io.lang()].discard(sheet.title ?? id),
    what: `discard draft ${id}`,
  };
  return confirmChange(change, ports);
}
