import { ProcError } from '../../../core/errors.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import type { Ports } from '../../../core/ports.ts';
import { bulkMessages } from '../../../messages/bulk.ts';
import { sentenceIn } from '../../../messages/problems.ts';
import type { Journal } from '../../ledger/journal.ts';
import type { Unconfirmed } from '../../ledger/rows/unconfirmed-rows.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { checkAdoption } from './adoption.ts';
import type { Decision } from './decision.ts';
import { decideResend } from './resend.ts';

const SHOWN = 300;

/**
 * Asks for the outcome of a row until the answer agrees with the list.
 *
 * @returns undefined if the row stays unconfirmed
 */
export async function askOutcome(
  journal: Journal,
  target: ImportTarget,
  row: Unconfirmed,
  settleMs: number,
  ports: Ports<'io' | 'api' | 'ask' | 'store' | 'self'>,
): Promise<Decision | undefined> {
  for (;;) {
    const decision = await ask(row, ports);
    try {
      if (decision?.kind === 'resend') {
        const { resent, adopted } = await decideResend(journal, target, [row], settleMs, ports);
        const [adopt] = adopted;
        if (adopt !== undefined) return { kind: 'adopt', id: adopt.id };
        return resent.length === 0 ? undefined : decision;
      }
      if (decision?.kind === 'adopt') {
        await checkAdoption(journal, target, row, decision.id, ports);
      }
      return decision;
    } catch (thrown) {
      const isAnswer =
        thrown instanceof ProcError &&
        (thrown.exitCode === EXIT.usage || thrown.exitCode === EXIT.incomplete);
      if (!isAnswer) throw thrown;
      ports.io.say({
        kind: 'warning',
        text: [thrown.message, thrown.hint].filter(Boolean).join('\n'),
      });
    }
  }
}

async function ask(one: Unconfirmed, ports: Ports<'io' | 'ask'>): Promise<Decision | undefined> {
  const words = bulkMessages[await ports.io.lang()];
  const { row, code, reason, sent_at: sentAt, body } = one;
  const sent = sentAt === null ? '' : `, sent ${new Date(sentAt).toISOString()}`;
  const text = body.length > SHOWN ? `${body.slice(0, SHOWN - 1)}…` : body;
  ports.io.say({
    kind: 'notice',
    text: `row ${row}${code === null ? '' : ` (${code})`}${sent}: ${sentenceIn(reason) ?? 'no response was recorded'}\n  ${text}`,
  });
  const prompts = ports.ask;
  const choice = await prompts.select<'adopt' | 'resend' | 'drop' | 'leave'>(words.outcomeOf(row), [
    { name: words.leave, value: 'leave' },
    { name: words.adopt, value: 'adopt' },
    { name: words.resend, value: 'resend' },
    { name: words.drop, value: 'drop' },
  ]);
  if (choice === 'leave') return undefined;
  if (choice !== 'adopt') return { kind: choice };
  const id = await prompts.input(words.whichId, {
    validate: (answer) => (answer.trim() === '' ? words.whichId : undefined),
  });
  return { kind: 'adopt', id: id.trim() };
}
