import { type KnownItem, type Line, leftOutText } from '../../compose/requisition-sheet.ts';
import { codeUses } from '../../compose/resolve-items.ts';
import type { RecordResult, Row, ShownRequest } from '../../core/result.ts';
import { ageText } from '../../core/time/age.ts';
import type { Entry } from '../../history/entry.ts';
import { createRequisition, REQUISITION_COLUMNS } from '../../nouns/requisition/index.ts';
import {
  type CodeUse,
  codeOf,
  type Definition,
  decide,
} from '../../nouns/shared/items-in-place.ts';
import { attemptOf, outcomesOf } from '../model/attempts.ts';
import { againCommand } from '../model/command-line.ts';
import { payloadOf } from '../model/to-payload.ts';
import type { DraftEditor } from '../questions/draft-editor.ts';
import { askExisting, known } from '../questions/pick-item.ts';

export type Submitted = ShownRequest | 'not-sent';

/**
 * Sends a draft that has no problems.
 *
 * @returns 'not-sent' if the person decides against sending, or must enter another code first
 * @throws ProcError the error of the service or the confirmation; the draft stays
 */
export async function submit(editor: DraftEditor): Promise<Submitted> {
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
  const what = `create requisition "${payload.title}" with ${payload.groups.length === 1 ? '1 group' : `${payload.groups.length} groups`}`;
  return ports.api.send(
    createRequisition,
    { body: payload },
    { what, weight: 'create', again, given, isChosen: true },
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
  const text = words.next(againCommand(requisition, ports.self.flags));
  ports.io.say({ kind: 'notice', text });
}

/** An `Entry` means: discard the draft, because this entry has created its requisition. */
type Next = 'send' | 'send-again' | 'keep' | Entry;

/**
 * Decides what to do with a draft, by the outcomes of earlier attempts to send it. If the draft has
 * changed since it created a requisition, proc asks.
 */
async function afterEarlierSends(editor: DraftEditor): Promise<Next> {
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
  const created = entry.created ?? '';
  if (ports.self.flags.again) return 'another';
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
  ports.io.say({ kind: 'warning', text: words.consent.unknown(id, await ageOf(editor, entry)) });
  const { word } = words.consent;
  if (await prompts.typed(words.consent.type(word), word)) return true;
  ports.io.say({ kind: 'notice', text: words.consent.refused(word) });
  return false;
}

async function ageOf({ asker: { ports } }: DraftEditor, { at }: Entry): Promise<string> {
  return ageText(ports.self.clock.now() - at);
}

interface Place {
  readonly group: number;
  readonly line: number;
}

/**
 * Looks up the codes of new items again: the items may have been created after their lines were entered.
 * A line whose item exists by now refers to that item, or proc asks.
 *
 * @returns false if the person must enter another code, so the draft is not ready
 */
async function referToExisting(editor: DraftEditor): Promise<boolean> {
  const { ports, words } = editor.asker;
  const places = editor.sheet.groups.flatMap(({ lines }, group) =>
    lines.flatMap((each, line) => {
      const item = definitionOf(each);
      return item === undefined ? [] : [{ group, line, item }];
    }),
  );
  const uses = await codeUses(
    places.map(({ item }) => item),
    ports,
  );
  if (uses === undefined) return true;
  for (const { item, ...place } of places) {
    const use = uses(item.code!);
    const decision = decide(item, use);
    if (decision.kind === 'reference') {
      refer(editor, place, known(use.found.find(({ id }) => id === decision.itemId)!));
      ports.io.say({ kind: 'notice', text: words.item.resolved(item.code!) });
    } else if (decision.kind === 'refuse' && !(await choose(editor, place, item.code!, use))) {
      return false;
    }
  }
  return true;
}

function definitionOf({ item }: Line): Definition | undefined {
  if (item?.kind !== 'new') return undefined;
  const definition = { name: item.fields.name ?? '', code: item.fields.code ?? undefined };
  return codeOf(definition) === undefined ? undefined : definition;
}

function refer(editor: DraftEditor, place: Place, item: KnownItem): void {
  editor.edit({ edit: 'change-line', ...place, change: { item } });
}

async function choose(
  editor: DraftEditor,
  place: Place,
  code: string,
  { found }: CodeUse,
): Promise<boolean> {
  const item = await askExisting(editor.asker, code, found);
  if (item !== undefined) {
    refer(editor, place, item);
    return true;
  }
  // Clears the code, so that the wizard asks for it.
  editor.edit({ edit: 'change-item', ...place, change: { fields: { code: undefined } } });
  return false;
}
