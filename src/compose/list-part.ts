import { ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import { moreProblems, show } from '../core/validate.ts';
import { NearRows } from '../listing/near-rows.ts';
import { nearText } from '../messages/problems.ts';
import { listItems } from '../nouns/items/index.ts';
import {
  type Catalogue,
  type CatalogueItem,
  itemLabel,
  itemOf,
  type MetItems,
  readItems,
} from '../nouns/shared/catalogue.ts';
import { byCode } from '../nouns/shared/references/references.ts';
import type { ListPart, MatchedLine } from './compose.ts';
import { LINE_FORMS, type ListLine, readList, shownLine } from './list-lines.ts';
import { matchLine } from './match-line.ts';

/** Up to this many codes are looked up one by one. For more codes, proc reads the whole catalogue. */
const FEW = 20;

/**
 * Reads the list of `--lines FILE|-` and matches its lines.
 *
 * @param catalogue reads the catalogue at an interactive terminal, which asks about the other lines, so a match by name
 * is enough. Undefined elsewhere: then a line needs an exact code.
 * @throws ProcError `invalid_input` for a list without lines, or with lines that no catalogue could resolve
 */
export async function readListPart(
  file: string,
  catalogue: (() => Promise<readonly CatalogueItem[]>) | undefined,
  met: MetItems,
  ports: Ports<'io' | 'lookup' | 'input'>,
): Promise<ListPart> {
  const text = await ports.input.readText(file, { mayBeEmpty: true });
  const lines = readList(text);
  const place = nameOfList(file);
  if (lines.length === 0) throw noLines(text, place);
  if (catalogue === undefined && !(await ports.lookup.allowed())) {
    return { file, lines: unresolved(lines, place, ports) };
  }
  const isMany = refsOf(lines).length > FEW;
  const items = await (catalogue !== undefined
    ? catalogue()
    : isMany
      ? (await readItems(ports)).items
      : itemsWithCodes(lines, ports));
  const matched = lines.map((line): MatchedLine => {
    const match = matchLine(line, items);
    if (match.kind !== 'sure' || (catalogue === undefined && match.by !== 'code')) {
      return { line, match, order: undefined };
    }
    met.set(match.item.id, match.item);
    return { line, match, order: { quantity: match.quantity, itemId: match.item.id } };
  });
  return { file, lines: matched };
}

function nameOfList(file: string): string {
  return file === '-' ? 'standard input' : file;
}

function noLines(text: string, place: string): ProcError {
  const what = text.trim() === '' ? 'is empty' : 'contains only comments or column headers';
  return new ProcError('invalid_input', `${place} ${what}; expected one line per item`, {
    hint: LINE_FORMS,
  });
}

function refsOf(lines: readonly ListLine[]): string[] {
  return [...new Set(lines.flatMap(({ readings }) => readings.flatMap((reading) => reading.refs)))];
}

async function itemsWithCodes(
  lines: readonly ListLine[],
  ports: Ports<'io' | 'lookup'>,
): Promise<readonly CatalogueItem[]> {
  const items: CatalogueItem[] = [];
  for (const ref of refsOf(lines)) {
    items.push(...(await byCode(ports, listItems, ref, true)).flatMap(itemOf));
  }
  return items;
}

/**
 * For previews without look-ups: a placeholder for the item of each line. Refuses lines that no catalogue
 * could resolve.
 */
function unresolved(
  lines: readonly ListLine[],
  place: string,
  ports: Ports<'io' | 'lookup'>,
): MatchedLine[] {
  const wrong = lines.filter((line) => line.readings.length === 0 || isUnclear(line));
  if (wrong.length > 0) throw mismatch(wrong, place, { items: [], isWhole: true });
  for (const { line, text, readings } of lines) {
    const [taken, other] = readings;
    if (other === undefined) continue;
    ports.io.say({
      kind: 'warning',
      text: `${place}, line ${line}: ${show(shownLine(text))} is shown as ${readingText(taken!)}, but may mean ${readingText(other)}. Without --dry-run, proc decides by the catalogue`,
    });
  }
  return lines.map((line) => {
    const [reading] = line.readings;
    const itemId = ports.lookup.placeholder('item', reading!.refs[0]!);
    const order = { quantity: reading!.quantity, itemId };
    return { line, order, match: matchLine(line, []) };
  });
}

function readingText({ quantity, refs }: ListLine['readings'][number]): string {
  return `quantity ${quantity} of item ${refs[0]}`;
}

/**
 * Whether a line has several possible quantities, e.g. `AR-5381 12 34`. False for a line of two
 * numbers, e.g. `12 34`: the catalogue tells which number is the code.
 */
function isUnclear({ readings }: ListLine): boolean {
  const refs = readings.flatMap((reading) => reading.refs);
  return readings.length > 1 && refs.some((ref) => !/^\d+$/.test(ref));
}

const PROBLEMS = {
  'no-quantity': 'no quantity was found',
  'bad-quantity': 'the quantity is not a whole number above 0',
  'no-item': 'there is a quantity but no item',
} as const;

/** Lines of a list without an exact code, with their nearest items. */
export async function unmatchedLines(
  lines: readonly ListLine[],
  file: string,
  ports: Ports<'io' | 'lookup'>,
): Promise<ProcError> {
  return mismatch(lines, nameOfList(file), await readItems(ports));
}

function mismatch(
  lines: readonly ListLine[],
  place: string,
  { items, isWhole }: Catalogue,
): ProcError {
  const near = new NearRows('items').add(items);
  let isMissing = false;
  const issues = lines.map((line) => {
    const match = matchLine(line, items);
    const candidates = match.kind === 'sure' ? [match.item] : match.candidates;
    const isSeveral = match.kind === 'doubtful' && hasCode(line, candidates);
    const numbers = line.readings.map(({ quantity }) => quantity);
    const isUnseen = items.length === 0 && numbers.length > 1;
    const isEither = isUnseen || (isSeveral && candidates.length === 1 && numbers.length > 1);
    const isAbsent = line.problem === undefined && !isEither && !isSeveral;
    isMissing ||= isAbsent;
    const reason =
      line.problem !== undefined
        ? PROBLEMS[line.problem]
        : isEither
          ? `the quantity may be ${numbers.toReversed().join(' or ')}`
          : isSeveral
            ? 'several items have this code'
            : isWhole
              ? 'no item has this code'
              : 'no item with this code was found';
    const known = isAbsent
      ? near.describe(refsOf([line])[0] ?? line.text, isWhole ? 'whole' : 'part')
      : undefined;
    const nearest = isAbsent
      ? known && nearText(known)
      : candidates[0] === undefined || ['no-quantity', 'no-item'].includes(line.problem ?? '')
        ? undefined
        : `nearest: ${candidates.slice(0, 3).map(itemLabel).join(', ')}`;
    const message = nearest === undefined ? reason : `${reason}; ${nearest}`;
    return {
      line: line.line,
      text: line.text,
      place: `line ${line.line}: ${show(shownLine(line.text))}: ${message}`,
      message,
      candidates: candidates.map(({ id, code, name }) => ({ id, code, name })),
    };
  });
  const [first] = issues;
  const isSeveralNumbers = lines.some(({ readings }) => readings.length > 1);
  const more = moreProblems(issues.length);
  const code = isMissing && !isWhole ? 'incomplete' : 'invalid_input';
  return new ProcError(code, `${place}, ${first!.place}${more}; nothing was sent`, {
    hint: `Where proc cannot ask or look up, each line needs a quantity and an exact code, e.g. 12 x AR-5381${isSeveralNumbers ? '. Add a header line such as Code and Quantity to say which number is the quantity' : ''}`,
    details: { issues },
  });
}

function hasCode(line: ListLine, items: readonly CatalogueItem[]): boolean {
  const refs = refsOf([line]);
  return items.some(({ code }) => code !== undefined && refs.includes(code));
}
