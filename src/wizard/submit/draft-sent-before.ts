import { ProcError } from '../../core/errors.ts';
import { inShell } from '../../core/text/typed.ts';
import type { Entry } from '../../history/entry.ts';
import { ageText, guardMessages } from '../../messages/confirmations.ts';
import { attemptOf, outcomesOf } from '../model/attempts.ts';
import { payloadOf } from '../model/to-payload.ts';
import type { DraftEditor } from '../questions/draft-editor.ts';

/** An `Entry` means: discard the draft, because this entry has created its requisition. */
export type Next = 'send' | 'send-again' | 'keep' | Entry;

/**
 * Decides what to do with a draft, by the outcomes of earlier attempts to send it. If the draft has
 * changed since it created a requisition, proc asks.
 *
 * @throws ProcError `repeated_write` if a person must decide, but the terminal is not interactive
 */
export async function afterEarlierSends(editor: DraftEditor): Promise<Next> {
  const { ports, words } = editor.asker;
  const { created, unknown } = await outcomesOf(editor.draft, ports);
  const { payload } = payloadOf(editor.sheet);
  const present = payload === undefined ? undefined : attemptOf(payload);
  const same = created.find((entry) => attemptOf(entry.payload) === present);
  if (same !== undefined) {
    const text = words.consent.created(same.created ?? '', await ageOf(editor, same));
    ports.io.say({ kind: 'notice', text });
    return same;
  }
  if (created[0] !== undefined) {
    const action = await askChanged(editor, created[0]);
    if (action === 'keep') return 'keep';
    if (action === 'discard') return created[0];
  }
  if (unknown === undefined) return 'send';
  return (await consents(editor, unknown)) ? 'send-again' : 'keep';
}

async function askChanged(
  editor: DraftEditor,
  entry: Entry,
): Promise<'another' | 'keep' | 'discard'> {
  const { ports, prompts, words } = editor.asker;
  const { id } = editor.draft;
  const created = entry.created ?? '';
  if (ports.self.flags.again) return 'another';
  if (!ports.io.terminal.interactive) {
    throw new ProcError(
      'repeated_write',
      `draft ${id} already created ${created} and has changed since; nothing was sent`,
      {
        hint: `Show what was created: proc history show ${inShell(entry.id)}. To send the draft as another requisition: proc requisition draft submit ${inShell(id)} --again. To discard it: proc requisition draft discard ${inShell(id)} --yes`,
        details: { historyId: entry.id, requisitionId: created },
      },
    );
  }
  const { changed } = words.consent;
  ports.io.say({
    kind: 'warning',
    text: changed.explanation(created, await ageOf(editor, entry), entry.id),
  });
  return prompts.select(changed.question, [
    { name: changed.keep, value: 'keep' as const },
    { name: changed.another, value: 'another' as const },
    { name: changed.discard(created), value: 'discard' as const },
  ]);
}

async function consents(editor: DraftEditor, entry: Entry): Promise<boolean> {
  const { ports, prompts, words } = editor.asker;
  const { id } = entry;
  if (ports.self.flags.again) return true;
  if (!ports.io.terminal.interactive) {
    throw new ProcError(
      'repeated_write',
      `draft ${editor.draft.id} was already sent, and the outcome is unknown (${id}); nothing was sent`,
      {
        hint: `Check it: proc history show ${inShell(id)}. Then record the outcome: proc history resolve ${inShell(id)}. To send it anyway, add --again`,
        details: { historyId: id },
      },
    );
  }
  ports.io.say({ kind: 'warning', text: words.consent.unknown(id, await ageOf(editor, entry)) });
  const { word } = words.consent;
  if (await prompts.typed(words.consent.type(word), word)) return true;
  ports.io.say({ kind: 'notice', text: words.consent.refused(word) });
  return false;
}

async function ageOf({ asker: { ports } }: DraftEditor, { at }: Entry): Promise<string> {
  return ageText(ports.self.clock.now() - at, guardMessages[await ports.io.lang()]);
}
