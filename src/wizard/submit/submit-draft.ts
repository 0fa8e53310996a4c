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

/** What became of a submit: the result, or the person thought better of it. */
export type Submitted = ShownRequest | 'not-sent';

/**
 * Sends a draft that has no problems left. What was defined in place meanwhile is referred to; after
 * an unknown outcome it takes typed consent, and a draft changed since it was created a decision.
 *
 * @param review shows the draft, if it was not just seen
 * @throws ProcError what the service or the guard says; the draft stays
 */
export async function submit(
  editor: DraftEditor,
  review?: () => Promise<void>,
): Promise<Submitted> {
  const { ports } = editor.asker;
  const { payload: given } = payloadOf(editor.sheet);
  // A dry run shows the body, whatever became of earlier sends, and leaves the draft alone.
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
 * Shows how to do the same without questions. Items that were just defined are referred to, so that
 * what is shown works. The requisition is there already: no failure here may look like its own.
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
    ports.io.say({ kind: 'warning', text: `the payload could not be kept as a file: ${why}` });
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
