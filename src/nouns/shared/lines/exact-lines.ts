import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import { moreProblems, show } from '../../../core/validate.ts';
import { NearRows } from '../../../listing/near-rows.ts';
import { nearText } from '../../../messages/problems.ts';
import { listItems } from '../../items/api.ts';
import { type Catalogue, type CatalogueItem, itemLabel, itemOf, readItems } from '../catalogue.ts';
import { byCode } from '../references/references.ts';
import { type ListLine, shownLine } from './list-lines.ts';
import { matchLine } from './match-line.ts';

/** Up to this many codes are looked up one by one. For more codes, proc reads the whole catalogue. */
const FEW = 20;

interface OrderLine {
  readonly quantity: number;
  readonly itemId: string;
}

/**
 * Matches the lines of a list without asking. Every line must have an exact code.
 *
 * @param place the name of the list in errors
 * @throws ProcError `invalid_input`, with each line without a match and its nearest items; `incomplete` if the
 * list of items may have more rows
 */
export async function exactLines(
  lines: readonly ListLine[],
  place: string,
  ports: Ports<'io' | 'lookup'>,
): Promise<OrderLine[]> {
  if (!(await ports.lookup.allowed())) return unresolved(lines, place, ports);
  const isMany = refsOf(lines).length > FEW;
  const read = isMany ? await readItems(ports) : undefined;
  const items = read?.items ?? (await itemsWithCodes(lines, ports));
  const found = lines.map((line) => ({ line, match: matchLine(line, items) }));
  const wrong = found.filter(({ match }) => match.kind !== 'sure' || match.by !== 'code');
  if (wrong.length > 0) {
    const unmatched = wrong.map(({ line }) => line);
    throw mismatch(unmatched, place, read ?? (await readItems(ports)));
  }
  return found.map(({ match }) => ({
    quantity: match.quantity!,
    itemId: match.kind === 'sure' ? match.item.id : '',
  }));
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
): OrderLine[] {
  const wrong = lines.filter((line) => line.readings.length === 0 || isUnclear(line));
  if (wrong.length > 0) throw mismatch(wrong, place);
  for (const { line, text, readings } of lines) {
    const [taken, other] = readings;
    if (other === undefined) continue;
    ports.io.say({
      kind: 'warning',
      text: `${place}, line ${line}: ${show(shownLine(text))} is shown as ${readingText(taken!)}, but may mean ${readingText(other)}. Without --dry-run, proc decides by the catalogue`,
    });
  }
  return lines.map(({ readings: [reading] }) => ({
    quantity: reading!.quantity,
    itemId: ports.lookup.placeholder('item', reading!.refs[0]!),
  }));
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

function mismatch(
  lines: readonly ListLine[],
  place: string,
  { items, isWhole }: Catalogue = { items: [], isWhole: true },
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
