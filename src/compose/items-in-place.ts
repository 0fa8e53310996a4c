import { foldCode } from '../core/fold-code.ts';
import type { Problem } from '../core/row-problem.ts';
import { show } from '../core/validate.ts';
import { inShell, listed } from '../core/wording.ts';
import type { CatalogueItem } from '../nouns/shared/catalogue.ts';

export interface Definition {
  readonly name: string;
  readonly code?: string | undefined;
  readonly [field: string]: unknown;
}

/** Refer to the item with this id, define it (neither), or refuse the line. */
export interface Decision {
  readonly itemId?: string;
  readonly refused?: string;
  /** The items of the catalogue that have the code. */
  readonly found: readonly CatalogueItem[];
}

/** The codes of items that lines define, compared by the fold. */
export class DefinedCodes {
  readonly #codes = new Map<string, { readonly code: string; lines: number }>();

  add(payload: WithLines): this {
    for (const { code } of definitionsIn(payload)) {
      const known = this.#codes.get(foldCode(code!));
      if (known === undefined) this.#codes.set(foldCode(code!), { code: code!, lines: 1 });
      else known.lines++;
    }
    return this;
  }

  all(): readonly string[] {
    return [...this.#codes.values()].map(({ code }) => code);
  }

  /** @param found the items of the catalogue that have one of the codes; undefined if it was not read */
  decider(found: readonly CatalogueItem[] | undefined): (item: Definition) => Decision {
    if (found === undefined) return () => ({ found: [] });
    const byCode = Map.groupBy(found, ({ code }) => foldCode(code ?? ''));
    return (item) => {
      const code = foldCode(definedCode(item)!);
      return decide(item, byCode.get(code) ?? [], this.#codes.get(code)?.lines);
    };
  }
}

const NAMED = 3;

/**
 * Decides what to do with a line that defines an item with a code. A code identifies an item, and a name does not.
 *
 * @param found items of the catalogue that have this code
 * @param lines number of lines to be sent that define an item with it
 */
function decide(item: Definition, found: readonly CatalogueItem[], lines = 1): Decision {
  const code = definedCode(item)!;
  const [only] = found;
  const refuse = (text: string): Decision => ({ refused: `${show(code)} ${text}`, found });
  if (only === undefined) {
    if (lines === 1) return { found };
    const command = `proc items create --code ${inShell(code)} --name ${inShell(item.name)}`;
    return refuse(
      `is a new item on ${lines} lines, and each would create it; create it first: ${command}`,
    );
  }
  const { id, name } = only;
  if (found.length > 1) {
    const items = found.map((one) => `${one.id} (${one.name ?? 'no name'})`);
    return refuse(
      `is the code of ${found.length} items: ${listed(items, NAMED)}; use the itemId of one of them`,
    );
  }
  if (sameName(name, item.name)) return { itemId: id, found };
  const spelling = only.code === code ? '' : `${only.code}, `;
  const other = `${name === undefined ? 'an item without a name' : show(name)} (${spelling}${id})`;
  return refuse(`is ${other} in the catalogue, not ${show(item.name)}`);
}

export function definedCode({ code }: Definition): string | undefined {
  return typeof code === 'string' && code.trim() !== '' ? code : undefined;
}

/** Differences in spaces and Unicode form do not count, because a person cannot see them. */
function sameName(a: string | undefined, b: string): boolean {
  const plain = (text: string) => text.normalize('NFC').replace(/\s+/g, ' ').trim();
  return a !== undefined && plain(a) === plain(b);
}

interface Line {
  readonly itemId?: string | undefined;
  readonly item?: Definition | undefined;
}

export interface WithLines {
  readonly groups: readonly { readonly items: readonly Line[] }[];
}

export function definitionsIn({ groups }: WithLines): Definition[] {
  return groups.flatMap(({ items }) =>
    items.flatMap(({ item }) =>
      item !== undefined && definedCode(item) !== undefined ? [item] : [],
    ),
  );
}

export interface Refused {
  /** `groups[0].items[2].item.code` */
  readonly field: string;
  readonly reason: Problem;
  readonly candidates: readonly CatalogueItem[];
}

export interface Resolved<P> {
  /** The same object if nothing changed. */
  readonly payload: P;
  readonly referenced: readonly string[];
  readonly refused: readonly Refused[];
}

export function resolveLines<P extends WithLines>(
  payload: P,
  decideOn: (item: Definition) => Decision,
): Resolved<P> {
  const referenced: string[] = [];
  const refused: Refused[] = [];
  const groups = payload.groups.map((group, g) => ({
    ...group,
    items: group.items.map((line, i) => {
      const { item, ...rest } = line;
      const code = item && definedCode(item);
      if (item === undefined || code === undefined) return line;
      const { itemId, found, refused: why } = decideOn(item);
      const isOther = rest.itemId !== undefined && rest.itemId !== itemId;
      const text =
        why ??
        (itemId !== undefined && isOther
          ? `${show(code)} is the code of ${itemId}, but itemId is ${rest.itemId}`
          : undefined);
      const field = `groups[${g}].items[${i}].item.code`;
      if (text !== undefined) refused.push({ field, reason: { text }, candidates: found });
      if (itemId === undefined || isOther) return line;
      referenced.push(code);
      return { ...rest, itemId };
    }),
  }));
  const resolved = referenced.length === 0 ? payload : { ...payload, groups };
  return { payload: resolved, referenced, refused };
}
