import type { KnownItem, Line } from '../../compose/requisition-sheet.ts';
import { codeUses } from '../../compose/resolve-items.ts';
import { ProcError } from '../../core/errors.ts';
import { inShell } from '../../core/text/typed.ts';
import { sentence } from '../../messages/problems.ts';
import {
  type CodeUse,
  codeOf,
  type Definition,
  decide,
} from '../../nouns/shared/items-in-place.ts';
import type { DraftEditor } from '../questions/draft-editor.ts';
import { askExisting, known } from '../questions/pick-item.ts';

interface Place {
  readonly group: number;
  readonly line: number;
}

/**
 * Looks up the codes of new items again: the items may have been created after their lines were entered.
 * A line whose item exists by now refers to that item, or proc asks.
 *
 * @returns false if the person must enter another code, so the draft is not ready
 * @throws ProcError `invalid_input` if a person must decide, but the terminal is not interactive
 */
export async function referToExisting(editor: DraftEditor): Promise<boolean> {
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
    const decision = decide(item, use, undefined);
    if (decision.kind === 'reference') {
      refer(editor, place, known(use.found.find(({ id }) => id === decision.itemId)!));
      ports.io.say({ kind: 'notice', text: words.item.resolved(item.code!) });
    } else if (decision.kind === 'refuse') {
      if (!ports.io.terminal.interactive) {
        throw refused(editor, place, sentence(decision.reason));
      }
      if (!(await choose(editor, place, item.code!, use))) return false;
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

function refused(editor: DraftEditor, { group, line }: Place, reason: string): ProcError {
  const field = `groups[${group}].items[${line}].item.code`;
  const { id } = editor.draft;
  return new ProcError('invalid_input', `draft ${id}, ${field}: ${reason}; nothing was sent`, {
    hint: `Choose the item: proc requisition draft edit ${inShell(id)}`,
    details: { issues: [{ field, message: reason }] },
  });
}
