import { ProcError } from '../core/errors.ts';
import type { Row } from '../core/result.ts';
import { getAddress } from '../resources/addresses/api.ts';
import { rememberAddress } from '../resources/addresses/book.ts';
import { addressId } from '../resources/references.ts';
import type { Desk } from './desk.ts';
import { type KnownAddress, knownAddresses } from './known-addresses.ts';
import type { Address } from './model.ts';

/** Offers the addresses seen before and a typed id, which the service must know. */
export async function askAddress(desk: Desk, group: number): Promise<void> {
  const { ctx, prompts, words } = desk.asker;
  const known = await knownAddresses(ctx);
  for (;;) {
    const picked =
      known.length === 0
        ? undefined
        : await prompts.search<Address | null | undefined>(words.group.address, async (term) => [
            ...known
              .filter((one) => fits(one, term))
              .map((one) => ({
                name: [one.aliases.join(', '), one.formattedAddress, one.id]
                  .filter(Boolean)
                  .join(' · '),
                value: { id: one.id, label: one.formattedAddress },
              })),
            { name: words.group.otherAddress, value: undefined },
            { name: words.group.noAddress, value: null },
          ]);
    const wanted = picked === undefined ? await typedAddress(desk, group) : picked;
    const address = wanted === null ? null : await checked(desk, wanted);
    if (address === undefined) continue;
    desk.edit({ edit: 'change-group', group, change: { address } });
    return;
  }
}

function fits({ id, aliases, formattedAddress, city }: KnownAddress, term = ''): boolean {
  const wanted = term.trim().toLowerCase();
  return [id, ...aliases, formattedAddress, city].some((text) =>
    text?.toLowerCase().includes(wanted),
  );
}

async function typedAddress(desk: Desk, group: number): Promise<Address | null> {
  const { ctx, prompts, words } = desk.asker;
  const current = desk.sheet.groups[group]?.address?.id;
  const answer = await prompts.input(
    current === undefined ? words.group.addressId : words.heading.orNone(words.group.addressId),
    current === undefined ? {} : { default: current },
  );
  const typed = answer.trim();
  return typed === '' || typed === '-' ? null : { id: await addressId(ctx, typed) };
}

/** The address as the service shows it; undefined, having said so, where it knows none. */
async function checked(desk: Desk, address: Address): Promise<Address | undefined> {
  const { ctx, words } = desk.asker;
  if (ctx.previewing) return address;
  let row: Row;
  try {
    row = await ctx.call(getAddress, { params: { id: address.id } });
  } catch (thrown) {
    const isNone =
      thrown instanceof ProcError &&
      ['not_found', 'forbidden', 'refused', 'invalid_usage', 'invalid_input'].includes(thrown.code);
    if (!isNone) throw thrown;
    ctx.say({ kind: 'warning', text: words.group.unknownAddress(address.id) });
    return undefined;
  }
  await rememberAddress(ctx, address.id, row);
  const label = typeof row.formattedAddress === 'string' ? row.formattedAddress : undefined;
  if (label !== undefined) ctx.say({ kind: 'notice', text: words.group.isAt(label) });
  return { id: address.id, label };
}
