import { ProcError } from '../core/errors.ts';
import { check, show } from '../core/validate.ts';
import { createRequisition } from '../nouns/requisition/index.ts';
import type { CatalogueItem } from '../nouns/shared/catalogue.ts';
import type { ItemsInPlace } from '../nouns/shared/items-in-place.ts';
import type { ListLine } from './list-lines.ts';
import type { Match } from './match-line.ts';
import { type Fields, groupsIn, type Line, type OrderLine, type Payload } from './payload.ts';
import { isStatedIn, type MeantQuantity, withQuantities } from './quantities.ts';
import { type ExistingNow, orderAgain } from './reorder.ts';

/** What a requisition is composed of. Everything that a service had to be asked for is looked up. */
export interface Parts {
  /** The payload of a file or an earlier requisition, with the fields of flags over it. */
  readonly base: Fields;
  /** For a requisition that is ordered again. */
  readonly earlier?: EarlierPart | undefined;
  /** Groups of `--group`; they replace those of `base`. */
  readonly groups: readonly Fields[];
  /** Lines of `--item` and `--new-item`. */
  readonly lines: readonly FlagLine[];
  readonly list?: ListPart | undefined;
  readonly answers?: Answers | undefined;
}

export interface EarlierPart {
  /** The fields of flags. `base` loses the code of the earlier requisition, not the one of a flag. */
  readonly fields: Fields;
  readonly quantities: readonly MeantQuantity[];
  readonly now: ExistingNow | undefined;
  readonly choice: ItemsInPlace | undefined;
}

export interface FlagLine {
  /** The flag as typed, for error messages. */
  readonly place: string;
  /** The name of a group, or its number. */
  readonly group: string | undefined;
  /** The code or id of the item, as typed; undefined if the line defines its item. */
  readonly ref: string | undefined;
  readonly line: Line;
}

/** The list of `--lines`. It replaces the items of an earlier requisition. */
export interface ListPart {
  readonly file: string;
  readonly lines: readonly MatchedLine[];
}

export interface MatchedLine {
  readonly line: ListLine;
  /** Undefined if it is not certain which item and quantity the line means. */
  readonly order: OrderLine | undefined;
  readonly match: Match;
}

/** What is open: which item a line means. */
export type Question =
  | {
      readonly about: 'earlier';
      /** Positions in the payload that was reordered. */
      readonly group: number;
      readonly at: number;
      readonly line: Line;
      readonly candidates: readonly CatalogueItem[];
    }
  | { readonly about: 'list'; readonly line: ListLine; readonly match: Match };

/** By {@link keyOf} of the question; null: the line is left out. */
export type Answers = ReadonlyMap<string, OrderLine | null>;

export function keyOf(question: Question): string {
  return question.about === 'list'
    ? keyOfListed(question.line)
    : keyOfEarlier(question.group, question.at);
}

const keyOfListed = ({ line }: ListLine) => `list ${line}`;
const keyOfEarlier = (group: number, at: number) => `earlier ${group} ${at}`;

export interface Composed {
  readonly payload: Fields;
  /** Without an answer, the payload has an earlier line as it was, and no line of a list. */
  readonly questions: readonly Question[];
  /** The groups of the earlier requisition, as its questions name their lines. */
  readonly reordered?: Payload['groups'] | undefined;
  /** Lines whose item no longer exists, or will be created again. */
  readonly remarks: readonly { readonly kind: 'gone' | 'new'; readonly line: Line }[];
}

/**
 * The payload of a requisition, and what a person must answer before it can be sent. Reads and asks
 * nothing.
 *
 * @throws ProcError `invalid_usage`, `reference_not_found`, `ambiguous_reference`, `incomplete` for parts
 * that do not fit together; `invalid_input` if the answers leave nothing to order
 */
export function compose(parts: Parts): Composed {
  const { earlier, groups, lines, list, answers = new Map() } = parts;
  const questions: Question[] = [];
  const remarks: Composed['remarks'][number][] = [];
  let whole = startOf(parts);
  let groupsBefore: Payload['groups'] | undefined;
  if (earlier !== undefined) {
    const start = whole;
    const again = reordered(whole, earlier, answers);
    questions.push(...again.questions);
    remarks.push(...again.remarks);
    groupsBefore = again.reordered;
    whole = again.payload;
    if (groups.length === 0) mustBeNew(whole, lines);
    whole = withoutEmptied(withLines(whole, parts), start);
  } else whole = withLines(whole, parts);
  const listed = list && withList(whole, list, answers);
  return {
    payload: listed?.payload ?? whole,
    questions: [...questions, ...(listed?.questions ?? [])],
    ...{ remarks, reordered: groupsBefore },
  };
}

/** The payload before anything is added to it: flags and lists replace parts of an earlier requisition. */
export function startOf({ base, earlier, groups, list }: Parts): Fields {
  if (earlier === undefined) return base;
  if (groups.length > 0) return { ...base, groups: [] };
  if (list === undefined) return base;
  const [group, ...others] = groupsIn(base);
  // With several groups, the list is refused later.
  if (others.length > 0 || !Array.isArray(group?.items)) return base;
  return { ...base, groups: [{ ...group, items: [] }] };
}

/**
 * The earlier payload whose items are to be looked up: with the quantities of `--quantity` that name a line
 * as it was sent. Undefined if the payload is invalid, which a later check of the whole body reports.
 */
export function toLookUp(
  start: Fields,
  { quantities }: Pick<EarlierPart, 'quantities'>,
): Payload | undefined {
  if (groupsIn(start).length === 0) return undefined;
  if (check(createRequisition.body, start).value === undefined) return undefined;
  // The checked value lacks unknown fields, and a later check must warn about them. So the payload is used
  // as given.
  const given = start as Payload;
  const isStated = isStatedIn(given);
  return withQuantities(
    given,
    quantities.filter(({ ref }) => isStated(ref)),
  );
}

function reordered(start: Fields, earlier: EarlierPart, answers: Answers): Composed {
  const stated = toLookUp(start, earlier);
  if (stated === undefined) {
    const { code: _, ...rest } = start;
    return { payload: { ...rest, ...earlier.fields }, questions: [], remarks: [] };
  }
  const { payload, unclear } = orderAgain(stated, earlier.now, earlier.choice);
  const answerTo = (group: number, at: number) => answers.get(keyOfEarlier(group, at));
  const questions: Question[] = [];
  const remarks: Composed['remarks'][number][] = [];
  for (const { kind, group, line: at, candidates } of unclear) {
    const line = stated.groups[group]!.items[at]!;
    if (kind !== 'several') remarks.push({ kind, line });
    else if (answerTo(group, at) === undefined) {
      questions.push({ about: 'earlier', group, at, line, candidates });
    }
  }
  let isSkipped = false;
  const groups = payload.groups.map((one, group) => ({
    ...one,
    items: one.items.flatMap((line, at) => {
      const answer = answerTo(group, at);
      isSkipped ||= answer === null;
      return answer === undefined ? [line] : (answer ?? []);
    }),
  }));
  if (isSkipped && groups.every(({ items }) => items.length === 0)) {
    throw new ProcError('invalid_input', 'every line was skipped; nothing was sent');
  }
  const isStated = isStatedIn(start as Payload);
  const later = earlier.quantities.filter(({ ref }) => !isStated(ref));
  const changed = withQuantities({ ...payload, groups }, later);
  return {
    payload: { ...changed, ...earlier.fields },
    ...{ questions, remarks, reordered: payload.groups },
  };
}

function withLines(base: Fields, { groups, lines }: Parts): Fields {
  if (groups.length + lines.length === 0) return base;
  const all = (groups.length > 0 ? groups : groupsIn(base)).map((group) => ({ ...group }));
  for (const each of lines) {
    const at = groupFor(each, all);
    const { items } = all[at]!;
    all[at] = { ...all[at], items: [...(Array.isArray(items) ? items : []), each.line] };
  }
  return { ...base, groups: all };
}

/**
 * Refuses `--item` for an item that its group already orders. A second line would add to the first, and a
 * requisition cannot be undone.
 */
function mustBeNew(base: Fields, lines: readonly FlagLine[]): void {
  const groups = groupsIn(base);
  for (const each of lines) {
    const { ref, line, place } = each;
    if (ref === undefined) continue;
    const { items } = groups[groupFor(each, groups)]!;
    const earlier = Array.isArray(items)
      ? (items as Line[]).find(({ itemId }) => itemId === line.itemId)
      : undefined;
    if (earlier === undefined) continue;
    throw new ProcError(
      'invalid_usage',
      `${place}: the earlier requisition already orders ${earlier.quantity} of this item; nothing was sent`,
      { hint: `Set the new quantity instead: --quantity ${ref}=${line.quantity}` },
    );
  }
}

/** @returns the position of the group that a line belongs to */
function groupFor({ group: name, place }: FlagLine, groups: readonly Fields[]): number {
  const names = groups.map((group) => String(group.name ?? '(no name)')).join(', ');
  if (groups.length === 0) {
    throw new ProcError('invalid_usage', `${place}: the requisition has no group`, {
      hint: 'Add a group: --group name=Plant,delivery=pickup',
    });
  }
  if (name === undefined) {
    if (groups.length === 1) return 0;
    throw new ProcError(
      'invalid_usage',
      `${place}: group= is missing, and there are ${groups.length} groups`,
      { hint: `Add group=NAME, one of: ${names}` },
    );
  }
  const matches = groups.flatMap((group, at) => (group.name === name ? [at] : []));
  if (matches.length === 1) return matches[0]!;
  // A number names a group by its position, because names may be missing or repeated.
  const isNumber = /^[1-9]\d*$/.test(name) && Number(name) <= groups.length;
  if (matches.length === 0 && isNumber) return Number(name) - 1;
  throw new ProcError(
    'invalid_usage',
    `${place}: ${matches.length === 0 ? 'no group is' : `${matches.length} groups are`} named ${show(name)}`,
    {
      hint:
        groups.length === 1
          ? `Remove group=, because there is only one group: ${names}`
          : `Use one of: ${names}; or the number of a group, 1 to ${groups.length}`,
    },
  );
}

/** Leaves out groups that had items before and have none now. */
function withoutEmptied(now: Fields, before: Fields): Fields {
  const [groups, old] = [groupsIn(now), groupsIn(before)];
  const left = groups.filter((group, index) => !(holds(old[index]) && !holds(group)));
  return left.length === groups.length ? now : { ...now, groups: left };
}

function holds(group: Fields | undefined): boolean {
  return Array.isArray(group?.items) && group.items.length > 0;
}

function withList(
  base: Fields,
  { file, lines }: ListPart,
  answers: Answers,
): Pick<Composed, 'payload' | 'questions'> {
  const group = onlyGroup(base, file);
  const questions = lines.flatMap(({ line, order, match }): Question[] =>
    order === undefined && !answers.has(keyOfListed(line)) ? [{ about: 'list', line, match }] : [],
  );
  const found = lines.flatMap(({ line, order }) => order ?? answers.get(keyOfListed(line)) ?? []);
  if (questions.length === 0 && found.length === 0) {
    const place = file === '-' ? 'standard input' : file;
    throw new ProcError('invalid_input', `${place}: every line was skipped; nothing was sent`);
  }
  const items = Array.isArray(group.items) ? group.items : [];
  return { payload: { ...base, groups: [{ ...group, items: [...items, ...found] }] }, questions };
}

/** @throws ProcError `invalid_usage` */
export function onlyGroup(base: Fields, file: string): Fields {
  const [group, ...others] = groupsIn(base);
  if (group !== undefined && others.length === 0) return group;
  const problem =
    group === undefined
      ? 'the requisition has no group'
      : `the requisition has ${others.length + 1} groups`;
  throw new ProcError(
    'invalid_usage',
    `--lines ${file}: ${problem}, but the list needs exactly one`,
    {
      hint: 'Add one group (with --from it replaces the earlier groups): --group name=Plant,delivery=pickup',
    },
  );
}
