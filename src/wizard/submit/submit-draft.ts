import { leftOutText } from '../../compose/requisition-sheet.ts';
import type { RecordResult, Row, ShownRequest } from '../../core/result.ts';
import { phrase } from '../../messages/writes.ts';
import { createRequisition, REQUISITION_COLUMNS } from '../../nouns/requisition/index.ts';
import { attemptOf } from '../model/attempts.ts';
import { nextCommands } from '../model/command-line.ts';
import { payloadOf } from '../model/to-payload.ts';
import type { DraftEditor } from '../questions/draft-editor.ts';
import { afterEarlierSends, type Next } from './draft-sent-before.ts';
import { referToExisting } from './refer-to-existing.ts';

export type Submitted = ShownRequest | 'not-sent';

/**
 * Sends a draft that has no problems.
 *
 * @param review shows the draft, if the person has not just seen it
 * @returns 'not-sent' if the person decides against sending, or must enter another code first
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

function created(editor: DraftEditor, value: Row): RecordResult {
  const { ports } = editor.asker;
  editor.discard();
  const leftOut = editor.sheet.groups.flatMap((group) => group.leftOut ?? []);
  if (leftOut.length > 0) {
    ports.io.say({ kind: 'notice', text: leftOutText(leftOut, editor.asker.words) });
  }
  sayNext(editor, String(value.requisitionId));
  return done(value);
}

function done(value: Row): RecordResult {
  return { kind: 'record', columns: REQUISITION_COLUMNS, value, idField: 'requisitionId' };
}

function sayNext({ asker: { ports, words } }: DraftEditor, requisition: string): void {
  const lines = nextCommands(requisition, ports.self.flags).map((line) => `  ${line}`);
  ports.io.say({ kind: 'notice', text: [words.next, ...lines].join('\n') });
}
