import type { Problem } from '../../core/row-problem.ts';
import { someOf } from '../../core/text/listed.ts';
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

/** `found`: items of the catalogue that have the code of a defined item. */
export interface CodeUse {
  readonly found: readonly CatalogueItem[];
  /** Number of lines to be sent that define an item with this code. */
  readonly lines: number;
}

const NAMED = 3;

/**
 * Decides what to do with a line that defines an item. A code identifies an item, and a name does not. So
 * the decision about an item without a code is always `define`.
 */
export function decide(item: Definition, { found, lines }: CodeUse): Decision {
  const code = codeOf(item);
  const [only] = found;
  if (code === undefined || (only === undefined && lines === 1)) return { kind: 'define' };
  const isSame = found.some(({ name }) => sameName(name, item.name));
  if (only === undefined) {
    const command = `proc items create --code ${inShell(code)} --name ${inShell(item.name)}`;
    const text = `${show(code)} is a new item on ${lines} lines, and each would create it; create it first: ${command}`;
    return { kind: 'refuse', reason: { text }, candidates: [] };
  }
  if (found.length > 1) {
    const items = found.slice(0, NAMED).map(({ id, name }) => `${id} (${name ?? 'no name'})`);
    const all = someOf(items, found.length);
    const text = `${found.length} items have the code ${show(code)}: ${all}; use the itemId of one of them`;
    const reason = { text };
    return { kind: 'refuse', reason, candidates: found };
  }
  if (isSame) return { kind: 'reference', itemId: only.id };
  const { id, name } = only;
  const other = `${name === undefined ? 'an item without a name' : show(name)} (${id})`;
  const text = `${show(code)} is ${other} in the catalogue, not ${show(item.name)}`;
  const reason = { text };
  return { kind: 'refuse', reason, candidates: found };
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
