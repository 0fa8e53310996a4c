import type { Group, ItemField, Line, Sheet } from '../compose/requisition-sheet.ts';

/** Positions in the sheet, from 0. */
export interface Place {
  readonly group: number;
  readonly line: number;
}

export type Question =
  | { readonly ask: 'title' | 'type' | 'sector' | 'code' | 'group' | 'review' }
  | {
      readonly ask: 'group-name' | 'delivery' | 'address' | 'first-line' | 'more-lines';
      readonly group: number;
    }
  | ({ readonly ask: 'item' | 'quantity' } & Place)
  | ({ readonly ask: 'item-field'; readonly field: ItemField } & Place);

const HEADING = ['title', 'type', 'sector', 'code'] as const;

/** The fields of a new item that the wizard asks for. The menu of a line offers the others. */
const ASKED: readonly ItemField[] = ['name', 'code', 'unitOfMeasure'];

/**
 * The first unanswered question. It depends only on the sheet, so a wizard that was killed resumes
 * at the same question.
 */
export function nextQuestion(sheet: Sheet): Question {
  if (!sheet.title) return { ask: 'title' };
  for (const ask of HEADING) if (sheet[ask] === undefined) return { ask };
  if (sheet.groups.length === 0) return { ask: 'group' };
  for (const [group, one] of sheet.groups.entries()) {
    if (one.name === undefined) return { ask: 'group-name', group };
    if (one.deliveryMethod === undefined) return { ask: 'delivery', group };
    if (needsAddress(one) && one.address === undefined) return { ask: 'address', group };
    for (const [line, each] of one.lines.entries()) {
      const question = lineQuestion(each, { group, line });
      if (question !== undefined) return question;
    }
    if (one.lines.length === 0) return { ask: 'first-line', group };
    if (one.isComplete !== true) return { ask: 'more-lines', group };
  }
  return { ask: 'review' };
}

/** Nothing is delivered for a pickup. */
function needsAddress({ deliveryMethod }: Group): boolean {
  return deliveryMethod !== 'pickup';
}

function lineQuestion({ item, quantity }: Line, place: Place): Question | undefined {
  if (item === undefined) return { ask: 'item', ...place };
  if (item.kind === 'new') {
    const { fields } = item;
    if (!fields.name) return { ask: 'item-field', ...place, field: 'name' };
    const field = ASKED.find((one) => fields[one] === undefined);
    if (field !== undefined) return { ask: 'item-field', ...place, field };
  }
  return quantity ? undefined : { ask: 'quantity', ...place };
}

/** Among all questions that a person can go back to, the one before this one. */
export function previousQuestion({ groups }: Sheet, question: Question): Question | undefined {
  const asked: Question[] = [
    ...HEADING.map((ask) => ({ ask })),
    ...groups.flatMap((one, group): Question[] => [
      { ask: 'group-name', group },
      { ask: 'delivery', group },
      ...(needsAddress(one) ? [{ ask: 'address', group } as const] : []),
      ...one.lines.flatMap(({ item }, line): Question[] => [
        { ask: 'item', group, line },
        ...(item?.kind === 'new' ? ASKED : []).map(
          (field) => ({ ask: 'item-field', group, line, field }) as const,
        ),
        { ask: 'quantity', group, line },
      ]),
      { ask: one.lines.length === 0 ? 'first-line' : 'more-lines', group },
    ]),
  ];
  const wanted = JSON.stringify(question);
  return asked[asked.findIndex((one) => JSON.stringify(one) === wanted) - 1];
}
