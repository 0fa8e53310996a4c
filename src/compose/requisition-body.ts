import type { Context } from '../context.ts';
import type { FlagValues } from '../core/command-spec.ts';
import { ProcError } from '../core/errors.ts';
import { textOf } from '../core/numbers.ts';
import type { Row } from '../core/result.ts';
import { show } from '../core/validate.ts';
import { inShell } from '../core/wording.ts';
import { listItems } from '../nouns/items/index.ts';
import { createRequisition } from '../nouns/requisition/index.ts';
import { listSectors } from '../nouns/sectors/index.ts';
import { type Body, bodyFields, type bodyFlags, readBody } from '../nouns/shared/body.ts';
import { itemOf, type MetItems } from '../nouns/shared/catalogue.ts';
import { addressId, recordsMeant } from '../nouns/shared/references.ts';
import { ensureAskable } from '../write.ts';
import { type COMPOSE_FLAGS, type GivenGroup, type GivenLine, readFlags } from './flags.ts';
import type { Payload } from './requisition-sheet.ts';

type Line = Payload['groups'][number]['items'][number];
/** A payload that may still be incomplete or wrong. A later check of the whole body reports that. */
type Fields = Readonly<Record<string, unknown>>;

type Flags = FlagValues<typeof COMPOSE_FLAGS> & { readonly file?: string | undefined } & FlagValues<
    ReturnType<typeof bodyFlags>
  >;

/**
 * The body of a requisition from flags and a file: looks up what they refer to, and puts it together.
 *
 * @param met receives the items that were looked up
 */
export async function composeBody(
  flags: Flags,
  met: MetItems,
  ctx: Context,
): Promise<Body<typeof createRequisition>> {
  const given = readFlags(flags);
  const fields = bodyFields(createRequisition, flags);
  // Fails before any look-up if nobody can confirm. The exact question is known only later.
  await ensureAskable(ctx, createRequisition, 'create a requisition');
  if (typeof fields.sector === 'string') fields.sector = await sectorValue(fields.sector, ctx);
  const body = await readBody(ctx, createRequisition, {
    file: flags.file,
    fields,
    missing: { groups: 'a requisition needs a group, e.g. --group name=Plant,delivery=pickup' },
    async amend(base) {
      return withLines(base, given.groups.map(groupOf), await linesOf(given.lines, met, ctx));
    },
  });
  for (const [group, { items }] of body.value.groups.entries()) {
    for (const [line, { itemId, item }] of items.entries()) {
      if ((itemId === undefined) !== (item === undefined)) continue;
      const place = body.place(`groups[${group}].items[${line}]`);
      const what =
        item === undefined
          ? 'has neither itemId nor item, so it orders nothing'
          : 'has both itemId and item; the service decides which one it uses';
      ctx.io.say({ kind: 'warning', text: `${place} ${what}` });
    }
  }
  return body;
}

interface FlagLine extends Pick<GivenLine, 'place' | 'group'> {
  readonly line: Line;
}

function groupOf({ name, delivery, address }: GivenGroup): Fields {
  return {
    ...(name === undefined ? {} : { name }),
    ...(delivery === undefined ? {} : { deliveryMethod: delivery }),
    ...(address === undefined ? {} : { addressId: addressId(address) }),
    items: [],
  };
}

async function linesOf(
  lines: readonly GivenLine[],
  met: MetItems,
  ctx: Context,
): Promise<FlagLine[]> {
  const refs = lines.flatMap(({ item }) => (typeof item === 'string' ? item : []));
  const meant = await recordsMeant(ctx, listItems, refs);
  return lines.map(({ item, quantity, place, group }) => {
    if (typeof item !== 'string')
      return { place, group, line: { quantity, item: item as Line['item'] } };
    const found = itemOf(definable(item, meant))[0]!;
    if (!item.startsWith('id=')) met.set(found.id, found);
    return { place, group, line: { quantity, itemId: found.id } };
  });
}

/** An item that the catalogue does not have may be defined in place. */
function definable(ref: string, meant: (ref: string) => Row): Row {
  try {
    return meant(ref);
  } catch (thrown) {
    const isNone = thrown instanceof ProcError && thrown.code === 'reference_not_found';
    if (!isNone || !ref.startsWith('code=')) throw thrown;
    const hint = `To define it in place: --new-item name=…,code=${inShell(ref.slice(5))},quantity=…`;
    throw new ProcError(thrown.code, thrown.message, { hint });
  }
}

/** The value of `sector`: id, key or name, by the dialect's `sectorValue`. */
async function sectorValue(ref: string, ctx: Context): Promise<string> {
  const { sectorValue: field } = (await ctx.target()).dialect('requisitions');
  return textOf((await recordsMeant(ctx, listSectors, [ref], field))(ref)[field])!;
}

/** @param groups those of flags; they replace the groups of `base` */
function withLines(base: Fields, groups: readonly Fields[], lines: readonly FlagLine[]): Fields {
  if (groups.length + lines.length === 0) return base;
  const all = (groups.length > 0 ? groups : groupsIn(base)).map((group) => ({ ...group }));
  for (const each of lines) {
    const at = groupFor(each, all);
    const { items } = all[at]!;
    all[at] = { ...all[at], items: [...(Array.isArray(items) ? items : []), each.line] };
  }
  return { ...base, groups: all };
}

function groupsIn({ groups }: Fields): readonly Fields[] {
  return Array.isArray(groups) ? groups : [];
}

/** @returns the position of the group that a line belongs to */
function groupFor({ group: name, place }: FlagLine, groups: readonly Fields[]): number {
  const count = groups.length;
  const matches = [...groups.keys()].filter(
    (at) => name === undefined || groups[at]!.name === name,
  );
  if (matches.length === 1) return matches[0]!;
  // A number names a group by its position, because names may be missing or repeated.
  const isNumber = /^[1-9]\d*$/.test(name ?? '') && Number(name) <= count;
  if (matches.length === 0 && isNumber) return Number(name) - 1;
  const names = groups.map((group) => group.name ?? '(no name)').join(', ');
  const problem =
    count === 0
      ? 'the requisition has no group'
      : name === undefined
        ? `group= is missing, and there are ${count} groups`
        : `${matches.length === 0 ? 'no group is' : `${matches.length} groups are`} named ${show(name)}`;
  throw new ProcError('invalid_usage', `${place}: ${problem}`, {
    hint:
      count === 0
        ? 'Add a group: --group name=Plant,delivery=pickup'
        : `Use group= with one of: ${names}; or with the number of a group, 1 to ${count}`,
  });
}
