import {
  type Address,
  type Answer,
  groupLabel,
  ITEM_FIELDS,
  type ItemField,
  type Line,
  lineItemLabel,
  lineLabel,
  type Sheet,
} from '../compose/requisition-sheet.ts';
import { EXIT, ProcError, withHint } from '../core/errors.ts';
import type { Choice } from '../core/io.ts';
import { addressId } from '../nouns/shared/references.ts';
import { matchLine, readList } from './pasted-list.ts';
import { known, pickForLine, searchItem } from './pick-item.ts';
import { nextQuestion, type Place, previousQuestion, type Question } from './questions.ts';
import { type Session, WentBack } from './session.ts';

/** Asks until nothing is missing. */
export async function askMissing(session: Session): Promise<void> {
  let question = nextQuestion(session.draft.sheet);
  while (question.ask !== 'review') {
    const isBack = !(await ask(session, question));
    const before = isBack ? previousQuestion(session.draft.sheet, question) : undefined;
    if (isBack && before === undefined) session.say('This is the first question.');
    question = before ?? nextQuestion(session.draft.sheet);
  }
}

/** @returns false if the person goes back without an answer */
export async function ask(session: Session, question: Question): Promise<boolean> {
  try {
    await answer(session, question);
    return true;
  } catch (thrown) {
    if (thrown instanceof WentBack) return false;
    throw thrown;
  }
}

async function answer(session: Session, question: Question): Promise<void> {
  const { draft, steps } = session;
  switch (question.ask) {
    case 'title': {
      const { title } = draft.sheet;
      const text = 'Title of the requisition';
      const value = await askNeeded(session, text, title, 'A title is needed.');
      return draft.set((sheet) => sheet, { title: value });
    }
    case 'type':
    case 'code': {
      const field = question.ask;
      const text = field === 'type' ? 'Type' : 'Your code for the requisition';
      const value = await askText(session, text, draft.sheet[field]);
      return draft.set((sheet) => sheet, { [field]: value });
    }
    case 'sector':
      return askSector(session);
    case 'group':
      return addGroup(session);
    case 'group-name': {
      const { group } = question;
      const text = `Name of group ${group + 1}, e.g. a place`;
      const name = await askText(session, text, draft.sheet.groups[group]?.name);
      return draft.set(({ groups }) => groups[group]!, { name });
    }
    case 'delivery':
      return askDelivery(session, question.group);
    case 'address':
      return askAddress(session, question.group);
    case 'first-line':
    case 'more-lines':
      return askLines(session, question.ask === 'first-line', question.group);
    case 'item':
      return askItem(session, question);
    case 'item-field':
      return askItemField(session, question, question.field);
    case 'quantity': {
      const { quantity: current, ...line } = lineAt(draft.sheet, question);
      const text = `How many of ${lineItemLabel(line)}?`;
      const quantity = await askQuantity(steps, text, current);
      return draft.set((sheet) => lineAt(sheet, question), { quantity });
    }
    case 'review':
  }
}

function lineAt({ groups }: Sheet, { group, line }: Place): Line {
  return groups[group]!.lines[line]!;
}

export function addGroup({ draft }: Session): void {
  draft.edit(({ groups }) => groups.push({ lines: [] }));
}

/** Asks for a text that must not be empty. */
async function askNeeded(
  { steps }: Session,
  text: string,
  current: Answer,
  problem: string,
): Promise<string> {
  const typed = await steps.input(text, {
    ...(current ? { default: current } : {}),
    validate: (answer) => (answer.trim() === '' ? problem : undefined),
  });
  return typed.trim();
}

/** Asks for an optional text; `-` removes an earlier answer. */
async function askText({ steps }: Session, text: string, current: Answer): Promise<string | null> {
  if (!current) return (await steps.input(`${text} (empty for none)`)).trim() || null;
  const typed = await steps.input(`${text} (Enter keeps it, "-" for none)`, { default: current });
  return typed.trim() === '-' ? null : typed.trim() || null;
}

async function askSector(session: Session): Promise<void> {
  const { ctx, draft, steps } = session;
  const current = draft.sheet.sector;
  const rows = await session.sectors();
  const field = (await ctx.target()).dialect('requisitions').sectorValue;
  const choices = rows.flatMap((row) => {
    const value = row[field];
    if (typeof value !== 'string') return [];
    const [label, ...more] = [row.name, row.key].filter((text) => typeof text === 'string');
    return [{ name: [label, ...more].join(' · ') || value, value: { value, label } }];
  });
  let sector: Sheet['sector'] | 'again' = 'again';
  if (choices.length === 0) {
    const typed = await askText(session, 'Sector: id, key or name', current?.value);
    sector = typed === null ? null : { value: typed };
  }
  const isCurrent = (one: (typeof choices)[number]) => one.value.value === current?.value;
  while (sector === 'again') {
    sector = await steps.search<Sheet['sector'] | 'again'>('Sector', async (term = '') => {
      const wanted = term.trim().toLowerCase();
      const none = { name: 'No sector', value: null };
      const found = choices.filter(({ name }) => name.toLowerCase().includes(wanted));
      // Enter selects the first choice: the current sector, or "no sector" if there is none.
      if (wanted === '') {
        return [...choices.filter(isCurrent), none, ...choices.filter((one) => !isCurrent(one))];
      }
      // A mistyped sector must not become none.
      const again = {
        name: `No sector has "${term.trim()}": search again`,
        value: 'again',
      } as const;
      return [...(found.length === 0 ? [again] : found), none];
    });
  }
  draft.set((sheet) => sheet, { sector });
}

async function askDelivery({ draft, steps }: Session, group: number): Promise<void> {
  const before = draft.sheet.groups[group]?.deliveryMethod;
  const choices = [
    { name: 'Delivery to an address', value: 'delivery' as const },
    { name: 'Pickup', value: 'pickup' as const },
  ];
  const at = before === 'pickup' ? 1 : 0;
  const method = await steps.select('How is it delivered?', choices, at);
  draft.edit(({ groups }) => {
    const one = groups[group]!;
    // An address belongs to a delivery, so each change of the method forgets it.
    if (before !== undefined && before !== method) delete one.address;
    one.deliveryMethod = method;
  });
}

async function askAddress(session: Session, group: number): Promise<void> {
  const all = await session.addresses();
  if (all.length === 0) {
    session.say(
      'The service cannot list addresses, and you have not used one yet. Type an id if you have one, or leave it empty.',
    );
  }
  const current = session.draft.sheet.groups[group]?.address;
  for (;;) {
    const picked = all.length === 0 ? undefined : await pickAddress(session, all, current);
    const address = picked === undefined ? await typedAddress(session, current?.id) : picked;
    if (address === undefined) continue;
    return session.draft.set(({ groups }) => groups[group]!, { address });
  }
}

/** @returns null for none, undefined if the person wants to type an id */
async function pickAddress(
  { steps }: Session,
  all: readonly Address[],
  current: Address | null | undefined,
): Promise<Address | null | undefined> {
  const none: Choice<null> = { name: 'No address', value: null };
  const other: Choice<undefined> = { name: 'Another address, by id', value: undefined };
  // Enter selects the first choice. So the current answer comes first.
  const isCurrent = ({ id }: Address) => id === current?.id;
  const sorted = [...all.filter(isCurrent), ...all.filter((one) => !isCurrent(one))];
  const choices = sorted.map((address) => ({
    name: [address.label, address.id].filter(Boolean).join(' · '),
    value: address,
  }));
  return steps.search<Address | null | undefined>('Delivery address', async (term = '') => {
    const wanted = term.trim().toLowerCase();
    const found = choices.filter(({ name }) => name.toLowerCase().includes(wanted));
    return current === null && wanted === '' ? [none, ...found, other] : [...found, other, none];
  });
}

/** @returns undefined, after a warning, if the id is invalid, or the service does not return the address */
async function typedAddress(
  session: Session,
  current: string | undefined,
): Promise<Address | null | undefined> {
  const typed = await askText(session, 'Address id', current);
  if (typed === null || typed === '-') return null;
  try {
    const id = addressId(typed);
    const address = await session.address(id);
    if (address === undefined) session.warn(`The service has no address "${id}".`);
    else if (address.label !== undefined) session.say(`Address: ${address.label}`);
    return address;
  } catch (thrown) {
    if (!(thrown instanceof ProcError) || thrown.exitCode !== EXIT.usage) throw thrown;
    session.warn(withHint(thrown));
    return undefined;
  }
}

async function askLines(session: Session, isFirst: boolean, group: number): Promise<void> {
  const { draft, steps } = session;
  const label = groupLabel(draft.sheet, group);
  const question = isFirst ? `What goes into ${label}?` : `Anything else for ${label}?`;
  switch (
    await steps.select(question, [
      { name: 'Search for an item', value: 'search' as const },
      { name: 'Paste a list', value: 'paste' as const },
      ...(isFirst ? [] : [{ name: 'Done with this group', value: 'done' as const }]),
      { name: 'Change a line or the group', value: 'change' as const },
    ])
  ) {
    case 'search':
      return addLine(session, group);
    case 'paste':
      return pasteList(session, group);
    case 'done':
      return draft.set(({ groups }) => groups[group]!, { isComplete: true });
    case 'change':
      return changeGroup(session, group);
  }
}

function addLine({ draft }: Session, group: number): void {
  draft.edit(({ groups }) => groups[group]!.lines.push({}));
}

/** Makes lines of the list before any look-up, so that it is not lost if the service does not answer. */
async function pasteList(session: Session, group: number): Promise<void> {
  const { draft, prompts } = session;
  const typed = await prompts.lines(
    'Paste or type a list with one item per line, e.g. "12 x CS-4759", "CS-4759;12" or spreadsheet columns. End it with an empty line or Ctrl-D:',
  );
  const read = readList(typed.join('\n'));
  draft.edit(({ groups }) => {
    for (const { text, readings } of read) {
      groups[group]!.lines.push({
        text,
        ...(readings.length === 1 ? { quantity: readings[0]!.quantity } : {}),
      });
    }
  });
  if (read.length === 0) session.say('The list is empty.');
  else if (!(await matchPasted(session, group))) {
    session.say(`Items found: 0. Still to choose: ${read.length}.`);
  }
}

/**
 * Looks up the pasted lines of a group and sets the items that match for sure.
 *
 * @returns whether there was one
 * @throws ProcError if the catalogue cannot be read, before any line changes
 */
async function matchPasted(session: Session, group: number): Promise<boolean> {
  const catalogue = await session.catalogue();
  let sure = 0;
  let open = 0;
  session.draft.edit(({ groups }) => {
    for (const line of groups[group]!.lines) {
      if (line.item !== undefined || line.text === undefined) continue;
      open++;
      const [listed] = readList(line.text);
      if (listed === undefined) continue;
      // The header of the list may have told which number is the quantity.
      const fitting = listed.readings.filter(({ quantity }) => quantity === line.quantity);
      const readings = fitting.length > 0 ? fitting : listed.readings;
      const { item, quantity } = matchLine({ ...listed, readings }, catalogue);
      if (quantity !== undefined) line.quantity ??= quantity;
      if (item === undefined) continue;
      line.item = known(item);
      delete line.text;
      sure++;
    }
  });
  if (sure > 0) session.say(`Items found: ${sure}. Still to choose: ${open - sure}.`);
  return sure > 0;
}

/** If the person chooses no item, the line stays only if it already has an item and a quantity. */
async function askItem(session: Session, place: Place): Promise<void> {
  const { draft } = session;
  const { item: current, text, quantity } = lineAt(draft.sheet, place);
  // The lines of a pasted list may not have been looked up yet.
  if (text !== undefined && (await matchPasted(session, place.group))) return;
  const item =
    text === undefined ? await searchItem(session, { current }) : await pickForLine(session, text);
  if (item === undefined && current !== undefined && quantity !== undefined) return;
  if (item === current && item !== undefined) return;
  draft.edit((sheet) => {
    if (item === undefined || item === 'left-out') return removeLine(sheet, place);
    const line = lineAt(sheet, place);
    line.item = item;
    delete line.text;
  });
}

/** A line of a list that nobody ordered is said at the end. */
function removeLine({ groups }: Sheet, { group, line }: Place): void {
  const one = groups[group]!;
  const [{ text } = {}] = one.lines.splice(line, 1) as [Line?];
  if (text !== undefined) one.leftOut = [...(one.leftOut ?? []), text];
}

const FIELD_TEXTS: Readonly<Record<ItemField, string>> = {
  name: 'Name of the new item',
  code: 'Code of the new item',
  unitOfMeasure: 'Unit of measure, e.g. EA or KG',
  description: 'Description',
  brand: 'Brand',
  material: 'Material',
  certification: 'Certification',
  type: 'Type of item',
};

async function askItemField(session: Session, place: Place, field: ItemField): Promise<void> {
  const { draft } = session;
  const { item } = lineAt(draft.sheet, place);
  const current = item?.kind === 'new' ? item.fields[field] : undefined;
  const value =
    field === 'name'
      ? await askNeeded(session, FIELD_TEXTS.name, current, 'A new item needs a name.')
      : await askText(session, FIELD_TEXTS[field], current);
  draft.edit((sheet) => {
    const changed = lineAt(sheet, place).item;
    if (changed?.kind === 'new') changed.fields[field] = value;
  });
}

async function askQuantity(
  { input }: Pick<Session['steps'], 'input'>,
  question: string,
  current: number | undefined,
): Promise<number> {
  const typed = await input(question, {
    ...(current === undefined ? {} : { default: String(current) }),
    validate(text) {
      const value = Number(text);
      if (/^\s*\d+\s*$/.test(text) && value > 0 && Number.isSafeInteger(value)) return undefined;
      return text.trim() === ''
        ? 'Enter a quantity: a whole number above 0, e.g. 4.'
        : `"${text}" is not a whole number above 0.`;
    },
  });
  return Number(typed);
}

type GroupAction = number | 'search' | 'paste' | 'group-name' | 'delivery' | 'address' | 'remove';

/** The menu of a group: what it is called, where it goes, and its lines. */
export async function changeGroup(session: Session, group: number): Promise<void> {
  const { draft, prompts } = session;
  for (;;) {
    const { lines, deliveryMethod, address } = draft.sheet.groups[group]!;
    const hasAddress = deliveryMethod !== 'pickup' || address;
    const action = await prompts.select<GroupAction | 'back'>(
      `What do you want to change in ${groupLabel(draft.sheet, group)}?`,
      [
        { name: 'Go back', value: 'back' },
        ...lines.map((line, at) => ({ name: lineLabel(line), value: at })),
        { name: 'Search for an item', value: 'search' },
        { name: 'Paste a list', value: 'paste' },
        { name: 'Change the name', value: 'group-name' },
        { name: 'Change the delivery method', value: 'delivery' },
        ...(hasAddress ? [{ name: 'Change the address', value: 'address' as const }] : []),
        { name: 'Remove', value: 'remove' },
      ],
    );
    if (action === 'back') return;
    if (action === 'remove') {
      const question = `Remove ${groupLabel(draft.sheet, group)} with all its items?`;
      if (lines.length > 0 && !(await prompts.confirm(question, false))) continue;
      return draft.edit(({ groups }) => groups.splice(group, 1));
    }
    if (typeof action === 'number') await changeLine(session, { group, line: action });
    else if (action === 'search') addLine(session, group);
    else if (action === 'paste') await pasteList(session, group);
    else await ask(session, { ask: action, group });
    if (action === 'search' || action === 'paste') await askMissingLines(session);
  }
}

async function askMissingLines(session: Session): Promise<void> {
  for (;;) {
    const question = nextQuestion(session.draft.sheet);
    if (!('line' in question)) return;
    await ask(session, question);
  }
}

async function changeLine(session: Session, place: Place): Promise<void> {
  const { draft, prompts } = session;
  const line = lineAt(draft.sheet, place);
  const action = await prompts.select(`What do you want to change in ${lineLabel(line)}?`, [
    { name: 'Change the quantity', value: 'quantity' as const },
    { name: 'Choose another item', value: 'item' as const },
    ...(line.item?.kind === 'new'
      ? [{ name: 'Change the details of the new item', value: 'details' as const }]
      : []),
    { name: 'Remove', value: 'remove' as const },
    { name: 'Go back', value: 'back' as const },
  ]);
  if (action === 'back') return;
  if (action === 'remove') return draft.edit((sheet) => removeLine(sheet, place));
  if (action !== 'details') {
    await ask(session, { ask: action, ...place });
    return;
  }
  const field = await prompts.select(
    'Change which detail?',
    ITEM_FIELDS.map((one) => ({ name: FIELD_TEXTS[one], value: one })),
  );
  await ask(session, { ask: 'item-field', ...place, field });
}
