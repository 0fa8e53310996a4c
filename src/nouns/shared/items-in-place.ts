import type { Problem } from '../../core/row-problem.ts';
import { foldCode } from '../../core/text/fold-code.ts';
import { listed } from '../../core/text/listed.ts';
import { inShell } from '../../core/text/typed.ts';
import { show } from '../../core/validate.ts';
import type { CatalogueItem } from './catalogue.ts';

export interface Definition {
  readonly name: string;
  readonly code?: string | undefined;
  readonly [field: string]: unknown;
}

export type Decision =
  | { readonly kind: 'reference'; readonly itemId: string }
  | { readonly kind: 'define' }
  | {
      readonly kind: 'refuse';
      readonly reason: Problem;
      readonly candidates: readonly CatalogueItem[];
    };

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
    if (found === undefined) return () => ({ kind: 'define' });
    const byCode = Map.groupBy(found, ({ code }) => foldCode(code ?? ''));
    return (item) => {
      const code = foldCode(codeOf(item)!);
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
export function decide(item: Definition, found: readonly CatalogueItem[], lines = 1): Decision {
  const code = show(codeOf(item));
  const [only] = found;
  if (only === undefined && lines === 1) return { kind: 'define' };
  const refuse = (text: string): Decision => ({
    kind: 'refuse',
    reason: { text },
    candidates: found,
  });
  if (only === undefined) {
    const command = `proc items create --code ${inShell(codeOf(item)!)} --name ${inShell(item.name)}`;
    return refuse(
      `${code} is a new item on ${lines} lines, and each would create it; create it first: ${command}`,
    );
  }
  if (found.length > 1) {
    const items = found.map(({ id, name }) => `${id} (${name ?? 'no name'})`);
    const all = listed(items, NAMED);
    return refuse(
      `${found.length} items have the code ${code}: ${all}; use the itemId of one of them`,
    );
  }
  const { id, name } = only;
  if (sameName(name, item.name)) return { kind: 'reference', itemId: id };
  const spelling = only.code === codeOf(item) ? '' : `${only.code}, `;
  const other = `${name === undefined ? 'an item without a name' : show(name)} (${spelling}${id})`;
  return refuse(`${code} is ${other} in the catalogue, not ${show(item.name)}`);
}

function codeOf({ code }: Definition): string | undefined {
  return typeof code === 'string' && code.trim() !== '' ? code : undefined;
}

/** Differences in spaces and Unicode form do not count, because a person cannot see them. */
function sameName(a: string | undefined, b: string): boolean {
  const plain = (text: string) => text.normalize('NFC').replace(/\s+/g, ' ').trim();
  return a !== undefined && plain(a) === plain(b);
}

export interface LineCounts {
  readonly lines: number;
  readonly referencedItems: number;
  readonly newItems: number;
  readonly newItemsWithoutCode: number;
}

export const NO_LINES: LineCounts = {
  lines: 0,
  referencedItems: 0,
  newItems: 0,
  newItemsWithoutCode: 0,
};

interface Line {
  readonly itemId?: string | undefined;
  readonly item?: Definition | undefined;
}

export interface WithLines {
  readonly groups: readonly { readonly items: readonly Line[] }[];
}

export function countLines({ groups }: WithLines, before: LineCounts = NO_LINES): LineCounts {
  let { lines, referencedItems, newItems, newItemsWithoutCode } = before;
  for (const { items } of groups) {
    lines += items.length;
    for (const { itemId, item } of items) {
      if (item === undefined) referencedItems += itemId === undefined ? 0 : 1;
      else newItems++;
      if (item !== undefined && codeOf(item) === undefined) newItemsWithoutCode++;
    }
  }
  return { lines, referencedItems, newItems, newItemsWithoutCode };
}

export function definitionsIn({ groups }: WithLines): Definition[] {
  return groups.flatMap(({ items }) =>
    items.flatMap(({ item }) => (item !== undefined && codeOf(item) !== undefined ? [item] : [])),
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
      if (item === undefined || codeOf(item) === undefined) return line;
      const field = `groups[${g}].items[${i}].item.code`;
      const decision = decideOn(item);
      if (decision.kind === 'refuse') {
        const { reason, candidates } = decision;
        refused.push({ field, reason, candidates });
      }
      if (decision.kind !== 'reference') return line;
      const { itemId } = decision;
      if (rest.itemId !== undefined && rest.itemId !== itemId) {
        const text = `${show(codeOf(item))} is the code of ${itemId}, but itemId is ${rest.itemId}`;
        const reason = { text };
        refused.push({ field, reason, candidates: [] });
        return line;
      }
      referenced.push(codeOf(item)!);
      return { ...rest, itemId };
    }),
  }));
  const resolved = referenced.length === 0 ? payload : { ...payload, groups };
  return { payload: resolved, referenced, refused };
}
