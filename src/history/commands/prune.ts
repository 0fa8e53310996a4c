import { command, type LocalPlan } from '../../core/command.ts';
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
  shape: ({ z, either }) =>
    either(
      'What was removed; with --dry-run what would be removed.',
      z.looseObject({ removed: z.number(), kept: z.number(), olderThan: z.string() }),
      z.looseObject({ wouldRemove: z.number(), kept: z.number(), olderThan: z.string() }),
    ),
  summary: 'Remove old entries',
  description:
    'Never removes entries whose outcome is unknown, or keys of --once. You cannot undo this: for requisitions, history holds the only copy of the ids. --service removes everything that was sent to the service of the current environment, also by imports and with an unknown outcome, except keys of --once. Use it only for a service that was reset.',
  flags: {
    olderThan: {
      kind: 'string',
      default: KEPT_BY_DEFAULT,
      value: 'when',
      doc: 'remove entries older than this: 90d, 12w or a date',
    },
    service: {
      kind: 'boolean',
      doc: 'the service was reset: forget all writes to it, whatever their age',
    },
  },
  examples: [
    { run: 'proc history prune', doc: 'entries older than 90 days, after asking' },
    { run: 'proc history prune --older-than 365d --yes', doc: 'in a script' },
    { run: 'proc history prune --service -e staging --yes', doc: 'staging was reset' },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'ask', 'store', 'self'],
  async plan({ flags }, ports) {
    if (flags.service === true) return forgetting(ports);
    const before = parseMoment(flags.olderThan, '--older-than', ports.self.clock.now());
    const [count, total] = await withHistory(ports, [0, 0], async (history) => [
      await history.prunable(before),
      await history.count(),
    ]);
    const olderThan = new Date(before).toISOString();
    return {
      would: () => ({
        kind: 'record',
        value: { wouldRemove: count, kept: total, olderThan },
      }),
      async apply() {
        if (count > 0) await confirmPrune(count, ports);
        const removed = count > 0 ? await (await ports.store.open(HISTORY)).prune(before) : 0;
        return { kind: 'record', value: { removed, kept: total - removed, olderThan } };
      },
    };
  },
});

async function forgetting(ports: Ports<'io' | 'ask' | 'store' | 'self'>): Promise<LocalPlan> {
  const { service } = await ports.store.scope();
  const { entries, runs } = await withHistory(ports, { entries: 0, runs: 0 }, (history) =>
    history.writesTo(service),
  );
  const value = { service, entries, imports: runs };
  return {
    would: () => ({ kind: 'record', value: { wouldForget: value } }),
    async apply() {
      if (entries + runs > 0) {
        const change = {
          question: async () => historyMessages.forget(service, entries, runs),
          what: `forget what was sent to ${service}`,
        };
        await confirmChange(change, ports);
        await (await ports.store.open(HISTORY)).forgetWrites(service);
      }
      return { kind: 'record', value: { forgot: value } };
    },
  };
}

function confirmPrune(count: number, ports: Ports<'io' | 'ask' | 'self'>): Promise<void> {
  const change = {
    question: async () => historyMessages.prune(count),
    what: `remove ${count === 1 ? '1 entry' : `${count} entries`} from history`,
  };
  return confirmChange(change, ports);
}
