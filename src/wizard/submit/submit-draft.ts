import type { RecordResult, Row, ShownRequest } from '../../core/result.ts';
import { phrase } from '../../messages/writes.ts';
import { listItems } from '../../nouns/items/api.ts';
import { createRequisition } from '../../nouns/requisition/api.ts';
import { REQUISITION_COLUMNS } from '../../nouns/requisition/columns.ts';
import { itemOf } from '../../nouns/shared/catalogue.ts';
import { byCode } from '../../nouns/shared/references/references.ts';
import { attemptOf } from '../model/attempts.ts';
import { commandLine, fileCommand } from '../model/command-line.ts';
import { leftOutText } from '../model/labels.ts';
import { payloadOf } from '../model/to-payload.ts';
import type { DraftEditor } from '../questions/draft-editor.ts';
import { known } from '../questions/pick-item.ts';
import { afterEarlierSends, type Next } from './draft-sent-before.ts';
import { referToExisting } from './refer-to-existing.ts';
import { keepPayload } from './save.ts';

/** The result of a submit, or 'not-sent' if the person decided against it. */
export type Submitted = ShownRequest | 'not-sent';

/**
 * Sends a draft without problems. New items that exist by now are referred to. After an unknown
 * outcome the person must confirm by typing; if the draft has changed since it was created, they decide what to do.
 *
 * @param review shows the draft, if it was not just seen
 * @throws ProcError the error of the service or the confirmation; the draft stays
 */
export async function submit(
  editor: DraftEditor,
  review?: () => Promise<void>,
): Promise<Submitted> {
  const { ports } = editor.asker;
  const { payload: given } = payloadOf(editor.sheet);
  // A dry run shows the body regardless of earlier attempts, and does not change the draft.
  const next = ports.api.isPreview ? 'send' : await beforeSending(editor);
  if (next === 'keep') return 'not-sent';
  if (typeof next === 'object') {
    editor.discard();
    return done({ requisitionId: next.created ?? '' });
  }
  const again = next === 'send-again';
  const { payload } = payloadOf(editor.sheet);
  if (payload === undefined) throw new Error('a sheet with problems was submitted');
  const what = phrase('createRequisition', payload.title, payload.groups.length);
  return ports.api.send(
    createRequisition,
    { body: payload },
    { what, weight: 'create', again, given, ...(review === undefined ? {} : { review }) },
    (value) => created(editor, value),
  );
}

async function beforeSending(editor: DraftEditor): Promise<Next> {
  const next = await afterEarlierSends(editor);
  if (next === 'keep' || typeof next === 'object') return next;
  if (!(await referToExisting(editor))) return 'keep';
  const { payload } = payloadOf(editor.sheet);
  if (payload !== undefined) editor.noteAttempt(attemptOf(payload));
  editor.asker.ports.io.say({ kind: 'notice', text: editor.asker.words.sending });
  return next;
}

async function created(editor: DraftEditor, value: Row): Promise<RecordResult> {
  const { ports } = editor.asker;
  editor.discard();
  const leftOut = editor.sheet.groups.flatMap((group) => group.leftOut ?? []);
  if (leftOut.length > 0) {
    ports.io.say({ kind: 'notice', text: leftOutText(leftOut, editor.asker.words) });
  }
  await teach(editor, String(value.requisitionId));
  return done(value);
}

function done(value: Row): RecordResult {
  return { kind: 'record', columns: REQUISITION_COLUMNS, value, idField: 'requisitionId' };
}

/**
 * Shows the commands that do the same without questions. They refer to the items that were just
 * created, so that they work. The requisition exists already, so a failure here must not look like a failed submit.
 */
async function teach(editor: DraftEditor, requisition: string): Promise<void> {
  const { ports, words } = editor.asker;
  try {
    const sheet = await withExisting(editor);
    const { payload } = payloadOf(sheet);
    if (payload === undefined) return;
    const file = keepPayload(ports, requisition, payload);
    ports.io.say({
      kind: 'notice',
      text: [
        words.teach.file,
        `  ${fileCommand(file, ports.self.flags, true)}`,
        words.teach.command,
        `  ${commandLine(sheet, ports.self.flags, true)}`,
        words.teach.again,
      ].join('\n'),
    });
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    ports.io.say({ kind: 'warning', text: `could not save the payload to a file: ${why}` });
  }
}

async function withExisting({ sheet, asker }: DraftEditor): Promise<DraftEditor['sheet']> {
  const groups = [];
  for (const group of sheet.groups) {
    const lines = [];
    for (const line of group.lines) {
      const code = line.item?.kind === 'new' ? line.item.fields.code : undefined;
      const [existing] = code
        ? (await byCode(asker.ports, listItems, code, true)).flatMap(itemOf)
        : [];
      lines.push(existing === undefined ? line : { ...line, item: known(existing) });
    }
    groups.push({ ...group, lines });
  }
  return { ...sheet, groups };
}
