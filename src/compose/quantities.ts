import { ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import { inShell } from '../core/text/typed.ts';
import { show } from '../core/validate.ts';
import { parseReference } from '../listing/match-reference.ts';
import { NearRows } from '../listing/near-rows.ts';
import { nearText } from '../messages/problems.ts';
import { listItems } from '../nouns/items/index.ts';
import { itemOf } from '../nouns/shared/catalogue.ts';
import type { Line, Payload } from './payload.ts';

/**
 * Parses the values of `--quantity`, e.g. `CODE=20`.
 *
 * @throws ProcError `invalid_usage`
 */
export function readQuantities(flags: readonly string[]): ReadonlyMap<string, number> {
  const quantities = new Map<string, number>();
  for (const flag of flags) {
    const at = flag.lastIndexOf('=');
    const [ref, text] = [flag.slice(0, Math.max(0, at)).trim(), flag.slice(at + 1).trim()];
    if (at < 1 || !/^\d+$/.test(text) || !Number.isSafeInteger(Number(text))) {
      throw new ProcError('invalid_usage', `--quantity ${show(flag)}: expected CODE=NUMBER`, {
        hint: 'Use e.g. --quantity AR-5381=20; CODE=0 removes the item',
      });
    }
    if (quantities.has(ref)) {
      throw new ProcError('invalid_usage', `--quantity: ${show(ref)} is given twice`);
    }
    quantities.set(ref, Number(text));
  }
  return quantities;
}

/**
 * Whether the reference is the item id or the {@link definedRef} of a line. Such a quantity is set
 * before `orderAgain`, which may replace the definition of an item by an id.
 */
export function isStatedIn({ groups }: Payload): (ref: string) => boolean {
  const lines = groups.flatMap(({ items }) => items);
  const refs = new Set(lines.flatMap((line) => line.itemId ?? definedRef(line)));
  return (ref) => refs.has(ref);
}

/**
 * How `--quantity` names an item defined in place: by its code, otherwise by its name. Empty for other
 * lines.
 */
export function definedRef({ itemId, item }: Line): string[] {
  return itemId === undefined && item !== undefined ? [(item.code ?? item.name).trim()] : [];
}

/** A quantity of `--quantity`, with the items that its reference means. */
export interface MeantQuantity {
  readonly ref: string;
  readonly quantity: number;
  /** Ids of the items of the catalogue. */
  readonly ids: ReadonlySet<string>;
  /** No other item of the catalogue has the code or name. */
  readonly isProved: boolean;
  /** False in a preview that may not look up a code. */
  readonly wasLookedUp: boolean;
}

export async function meaningsOf(
  quantities: ReadonlyMap<string, number>,
  ports: Ports<'lookup'>,
): Promise<MeantQuantity[]> {
  const meant: MeantQuantity[] = [];
  for (const [ref, quantity] of quantities) {
    const { form, text } = parseReference('item', ref);
    const mayRead = await ports.lookup.allowed();
    const { rows, isProved } =
      form !== 'id' && mayRead
        ? await ports.lookup.find(listItems, form === 'name' ? 'name' : 'code', text)
        : { rows: [], isProved: true };
    const ids = new Set(rows.flatMap(itemOf).map(({ id }) => id));
    meant.push({ ref, quantity, ids, isProved, wasLookedUp: form === 'id' || mayRead });
  }
  return meant;
}

/**
 * Sets the quantity of each item; 0 removes its lines. Emptied groups stay, because `--item` may name a
 * group by its number.
 *
 * @throws ProcError `reference_not_found` if no line orders the item; `ambiguous_reference`
 */
export function withQuantities(payload: Payload, quantities: readonly MeantQuantity[]): Payload {
  let groups = payload.groups;
  for (const each of quantities) {
    const { ref, quantity } = each;
    const isMeant = lineTest(each, groups);
    const meant = groups.flatMap(({ items }) => items.filter(isMeant));
    const count = meant.length;
    if (count === 0) throw noSuchLine(each, groups);
    if (count > 1 && quantity > 0) {
      throw new ProcError(
        'ambiguous_reference',
        `--quantity ${ref}=${quantity}: ${count} lines order this item, so proc cannot tell which line to change`,
        {
          hint: `Remove these lines: --quantity ${inShell(`${ref}=0`)}. Then add a new line: --item ${meant.some(({ item }) => item !== undefined && item.code === undefined) ? 'id=…' : `code=${ref}`},quantity=…`,
        },
      );
    }
    groups = groups.map((group) => ({
      ...group,
      items: group.items
        .filter((line) => quantity > 0 || !isMeant(line))
        .map((line) => (isMeant(line) ? { ...line, quantity } : line)),
    }));
  }
  return { ...payload, groups };
}

/**
 * A test for the lines of one item. It cannot use `listing/match-reference`, because a line may
 * define its item in place, or have an id that no list shows.
 *
 * @throws ProcError `ambiguous_reference` if `ref` is the id of one ordered item and the code of another
 */
function lineTest({ ref, ids: found }: MeantQuantity, groups: Payload['groups']) {
  const { form, text } = parseReference('item', ref);
  const ordered = new Set(
    groups.flatMap(({ items }) => items.flatMap(({ itemId }) => itemId ?? [])),
  );
  const hasIt = [...found].some((id) => id !== text && ordered.has(id));
  if (form === undefined && hasIt && ordered.has(text)) {
    throw new ProcError(
      'ambiguous_reference',
      `--quantity: ${show(text)} is the id of one item and the code of another; nothing was sent`,
      { hint: `Use one of: --quantity id=${text}=… or --quantity code=${text}=…` },
    );
  }
  const ids = form === undefined || form === 'id' ? new Set([...found, text]) : found;
  return (line: Line) => {
    if (line.itemId !== undefined) return ids.has(line.itemId);
    if (form === undefined) return definedRef(line).includes(text);
    return form !== 'id' && line.item?.[form as 'code' | 'name'] === text;
  };
}

function noSuchLine(
  { ref, isProved, wasLookedUp }: MeantQuantity,
  groups: Payload['groups'],
): ProcError {
  const lines = groups.flatMap(({ items }) =>
    items.map(({ itemId, item }) => ({
      id: itemId ?? item?.name,
      code: item?.code,
      name: item?.name,
    })),
  );
  const near = new NearRows('lines of the earlier requisition').add(lines).describe(ref, 'whole');
  const told = near === undefined ? '' : ` (${nearText(near)})`;
  return isProved
    ? new ProcError(
        'reference_not_found',
        `--quantity: no line of the earlier requisition orders ${show(ref)}${told}; nothing was sent`,
        {
          hint: wasLookedUp
            ? `To add it: --item code=${ref},quantity=…`
            : 'Use the id of the item. To look up codes, configure a key and remove --offline',
        },
      )
    : new ProcError(
        'incomplete',
        `--quantity: no line that orders ${show(ref)} was found, but the list of items may be incomplete${told}; nothing was sent`,
        { hint: 'Use the id of the item: --quantity id=…' },
      );
}
