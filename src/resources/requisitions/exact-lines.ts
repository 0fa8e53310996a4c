import type { Context } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { show } from '../../core/validate.ts';
import { listItems } from '../items/api.ts';
import { type CatalogueItem, itemLabel, itemOf, readCatalogue } from '../items/catalogue.ts';
import { byCode } from '../references.ts';
import { type ListLine, shownLine } from './list-lines.ts';
import { matchLine } from './match-line.ts';

/** For up to so many codes a look-up each takes fewer requests than the whole catalogue. */
const FEW = 20;

interface OrderLine {
  readonly quantity: number;
  readonly itemId: string;
}

/**
 * The lines of a list where nobody can be asked: only exact codes count, and all must match.
 *
 * @param place names the list in errors.
 * @throws ProcError `invalid_input` with line, text and nearest candidate of each that does not match
 */
export async function exactLines(
  lines: readonly ListLine[],
  place: string,
  ctx: Context,
): Promise<OrderLine[]> {
  if (ctx.previewing) return lines.map((line) => unresolved(line, place));
  const items = await itemsFor(lines, ctx);
  const found = lines.map((line) => ({ line, match: matchLine(line, items) }));
  const wrong = found.filter(({ match }) => match.kind !== 'sure' || match.by !== 'code');
  if (wrong.length > 0) {
    const catalogue = items.length > 0 && isWhole(lines) ? items : await readCatalogue(ctx);
    throw mismatch(
      wrong.map(({ line }) => line),
      place,
      catalogue,
    );
  }
  return found.map(({ match }) => ({
    quantity: match.quantity!,
    itemId: match.kind === 'sure' ? match.item.id : '',
  }));
}

function refsOf(lines: readonly ListLine[]): string[] {
  return [...new Set(lines.flatMap(({ readings }) => readings.flatMap((reading) => reading.refs)))];
}

function isWhole(lines: readonly ListLine[]): boolean {
  return refsOf(lines).length > FEW;
}

async function itemsFor(lines: readonly ListLine[], ctx: Context): Promise<CatalogueItem[]> {
  if (isWhole(lines)) return readCatalogue(ctx);
  const items: CatalogueItem[] = [];
  for (const ref of refsOf(lines)) {
    items.push(...(await byCode(ctx, listItems, ref, true)).flatMap(itemOf));
  }
  return items;
}

function unresolved({ readings, ...line }: ListLine, place: string): OrderLine {
  const [reading] = readings;
  if (reading === undefined) throw mismatch([{ readings, ...line }], place, []);
  return { quantity: reading.quantity, itemId: `<item ${reading.refs[0]}>` };
}

const PROBLEMS = {
  'no-quantity': 'no quantity was found',
  'bad-quantity': 'the quantity is not a whole number above 0',
  'no-item': 'a quantity, but of what?',
} as const;

function mismatch(
  lines: readonly ListLine[],
  place: string,
  catalogue: readonly CatalogueItem[],
): ProcError {
  const issues = lines.map((line) => {
    const match = matchLine(line, catalogue);
    const candidates = match.kind === 'sure' ? [match.item] : match.candidates;
    const isSeveral = match.kind === 'doubtful' && hasCode(line, candidates);
    const numbers = line.readings.map(({ quantity }) => quantity);
    const isUnclear = isSeveral && candidates.length === 1 && numbers.length > 1;
    const reason =
      line.problem !== undefined
        ? PROBLEMS[line.problem]
        : isUnclear
          ? `the quantity is not clear: ${numbers.toReversed().join(' or ')}?`
          : isSeveral
            ? 'several items have this code'
            : 'no item has this code';
    const nearest =
      candidates[0] === undefined
        ? ''
        : `; nearest: ${candidates.slice(0, 3).map(itemLabel).join(', ')}`;
    return {
      line: line.line,
      text: line.text,
      message: `${reason}${line.problem === undefined || line.problem === 'bad-quantity' ? nearest : ''}`,
      candidates: candidates.map(({ id, code, name }) => ({ id, code, name })),
    };
  });
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return new ProcError(
    'invalid_input',
    `${place}, line ${first!.line}: ${show(shownLine(first!.text))}: ${first!.message}${more}; nothing was sent`,
    {
      hint: 'Off a terminal each line needs a quantity and an exact code, such as: 12 x AR-5381',
      details: { issues },
    },
  );
}

function hasCode(line: ListLine, items: readonly CatalogueItem[]): boolean {
  const refs = refsOf([line]);
  return items.some(({ code }) => code !== undefined && refs.includes(code));
}
