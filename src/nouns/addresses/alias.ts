import { type Context, command, type LocalPlan } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import type { Result, Row } from '../../core/result.ts';
import { inShell } from '../../core/text/typed.ts';
import { show } from '../../core/validate.ts';
import { parseReference } from '../../listing/match-reference.ts';
import { knownAddresses } from '../../wizard/questions/known-addresses.ts';
import { inBook, lookInBook, rememberAddress } from '../shared/address-book.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { addressId } from '../shared/references/references.ts';
import { getAddress } from './api.ts';
import { ALIAS_COLUMNS } from './columns.ts';

export const alias = command({
  path: ['addresses', 'alias'],
  changes: 'local',
  prints: 'record',
  summary: 'Give an address a name of your own',
  description:
    'The alias works wherever an address is asked for. It is kept on this machine only. The address is read first, so that a wrong id is found now.',
  args: {
    id: { doc: 'id of the address, or an alias', from: 'proc addresses known' },
    alias: { doc: 'the new name, for instance plant-cba', optional: true },
  },
  flags: { remove: { kind: 'boolean', doc: 'take the alias away; the address stays' } },
  examples: [
    { run: 'proc addresses alias adr-1 plant-cba', doc: 'then: --address plant-cba' },
    { run: 'proc addresses alias plant-cba --remove', doc: 'takes the name away again' },
  ],
  exitCodes: READ_CODES,
  endpoints: [getAddress],
  async plan({ args, flags }, ctx) {
    if (flags.remove) return planRemoval(args.id, args.alias, ctx);
    if (args.alias === undefined) {
      throw new ProcError('invalid_usage', 'the alias is missing', {
        hint: `For instance: proc addresses alias ${inShell(args.id)} plant-cba`,
      });
    }
    const name = checkedAlias(args.alias);
    const id = await addressId(ctx, args.id);
    const owner = await idOfAlias(name, ctx);
    if (owner !== undefined && owner !== id) {
      throw new ProcError('invalid_usage', `${show(name)} is the alias of ${owner} already`, {
        hint: `Take it away first: proc addresses alias ${inShell(name)} --remove`,
      });
    }
    const addresses = await knownAddresses(ctx);
    if (addresses.some((address) => address.id === name) || (await isAddress(name, ctx))) {
      throw new ProcError('invalid_usage', `${show(name)} is the id of an address itself`);
    }
    const result = ({ formattedAddress = null }: Row): Result => ({
      kind: 'record',
      columns: ALIAS_COLUMNS,
      value: { id, alias: name, formattedAddress },
    });
    return {
      async would() {
        const target = await ctx.target();
        const canRead = target.credential !== undefined && !ctx.globals.offline;
        return result(canRead ? await ctx.callAt(target, getAddress, { params: { id } }) : {});
      },
      async apply() {
        const value = await ctx.call(getAddress, { params: { id } });
        await rememberAddress(ctx, id, value);
        await inBook(ctx, (book) => book.setAlias(name, id));
        return result(value);
      },
    };
  },
});

async function planRemoval(
  first: string,
  second: string | undefined,
  ctx: Context,
): Promise<LocalPlan> {
  const name = parseReference('address', second ?? first).text;
  const id = await idOfAlias(name, ctx);
  const of = second === undefined ? id : parseReference('address', first).text;
  if (id === undefined || id !== of) throw noAlias(name);
  const result = (): Result => ({
    kind: 'record',
    columns: ALIAS_COLUMNS,
    value: { id, alias: name, removed: true },
  });
  return {
    would: result,
    async apply() {
      await inBook(ctx, (book) => book.removeAlias(name));
      return result();
    },
  };
}

function idOfAlias(name: string, ctx: Context): Promise<string | undefined> {
  return lookInBook(ctx, undefined, (book) => book.aliases().get(name));
}

/** An alias that is an id too would name two addresses. */
async function isAddress(id: string, ctx: Context): Promise<boolean> {
  if (!(await ctx.reads.allowed())) return false;
  try {
    await ctx.reads.call(getAddress, { params: { id } });
    return true;
  } catch (thrown) {
    const isNone =
      thrown instanceof ProcError && ['not_found', 'forbidden', 'refused'].includes(thrown.code);
    if (isNone) return false;
    throw thrown;
  }
}

/** Letters first, so that no alias is mistaken for a flag or a number. */
function checkedAlias(name: string): string {
  if (/^\p{L}[\p{L}\p{N}._-]{0,63}$/u.test(name)) return name;
  throw new ProcError('invalid_usage', `${show(name)} cannot be an alias`, {
    hint: 'A letter first, then letters, digits, dots, dashes or underscores; at most 64.',
  });
}

function noAlias(name: string): ProcError {
  return new ProcError('reference_not_found', `there is no alias ${show(name)}`, {
    hint: 'See what there is: proc addresses known',
  });
}
