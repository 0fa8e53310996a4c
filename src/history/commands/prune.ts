import { command } from '../../core/command.ts';
import type { Ports } from '../../core/ports.ts';
import { parseMoment } from '../../core/time/moment.ts';
import { historyMessages } from '../../messages/history.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { confirmChange } from '../../terminal/confirm-change.ts';
import { withHistory } from '../find-entry.ts';
import { HISTORY } from '../store.ts';

const KEPT_BY_DEFAULT = '90d';

export const prune = command({
  path: ['history', 'prune'],
  changes: 'local',
  prints: 'record',
  summary: 'Remove old entries',
  description:
    'Never removes entries whose outcome is unknown. You cannot undo this: for requisitions, history holds the only copy of the ids.',
  flags: {
    olderThan: {
      kind: 'string',
      default: KEPT_BY_DEFAULT,
      value: 'when',
      doc: 'remove entries older than this: 90d, 12w or a date',
    },
  },
  examples: [
    { run: 'proc history prune', doc: 'entries older than 90 days, after asking' },
    { run: 'proc history prune --older-than 365d --yes', doc: 'in a script' },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'ask', 'store', 'self'],
  async plan({ flags }, ports) {
    const before = parseMoment(flags.olderThan, '--older-than', ports.self.clock.now());
    const [count, total] = await withHistory(ports, [0, 0], (history) => [
      history.prunable(before),
      history.count(),
    ]);
    const olderThan = new Date(before).toISOString();
    return {
      would: () => ({
        kind: 'record',
        value: { wouldRemove: count, kept: total, olderThan },
      }),
      async apply() {
        if (count > 0) await confirmPrune(count, ports);
        const removed = count > 0 ? (await ports.store.open(HISTORY)).prune(before) : 0;
        return { kind: 'record', value: { removed, kept: total - removed, olderThan } };
      },
    };
  },
});

function confirmPrune(count: number, ports: Ports<'io' | 'ask' | 'self'>): Promise<void> {
  const change = {
    question: async () => historyMessages[await ports.io.lang()].prune(count),
    what: `remove ${count === 1 ? '1 entry' : `${count} entries`} from history`,
  };
  return confirmChange(change, ports);
}
