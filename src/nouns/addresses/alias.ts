import { knownAddresses } from '../../compose/known-addresses.ts';
import { command, type LocalPlan } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Result, Row } from '../../core/result.ts';
import { inShell } from '../../core/text/typed.ts';
import { show } from '../../core/validate.ts';
import { parseReference } from '../../listing/match-reference.ts';
import { openAddressBook, readAddressBook, rememberAddress } from '../shared/address-book.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { addressId } from '../shared/references/references.ts';
import { ALIAS_COLUMNS, getAddress } from './index.ts';

export const alias = command({
  path: ['addresses', 'alias'],
  changes: 'local',
  prints: 'record',
  shape: ({ z, textOrNull, maybe, record }) =>
    record(
      z.looseObject({
        id: z.string(),
        alias: z.string(),
        formattedAddress: maybe(textOrNull),
        removed: maybe(z.boolean()),
      }),
    ),
  summary: 'Give an address an alias',
  description:
    'You can use the alias wherever proc takes an address. It exists on this machine only. proc reads the address first, so a wrong id fails at once.',
  args: {
    id: { doc: 'id or alias of the address', from: 'proc addresses known' },
    alias: { doc: 'the new alias, e.g. plant-cba', optional: true },
  },
  flags: { remove: { kind: 'boolean', doc: 'remove the alias; the address stays' } },
  examples: [
    { run: 'proc addresses alias adr-1 plant-cba', doc: 'usable as --address plant-cba' },
    { run: 'proc addresses alias plant-cba --remove', doc: 'remove the alias' },
  ],
  exitCodes: READ_CODES,
  endpoints: [getAddress],
  needs: ['io', 'api', 'lookup', 'store', 'self'],
  async plan({ args, flags }, ports) {
    if (flags.remove) return planRemoval(args.id, args.alias, ports);
    if (args.alias === undefined) {
      throw new ProcError('invalid_usage', '<alias> is missing: the name to give', {
        hint: `Give a name, e.g.: proc addresses alias ${inShell(args.id)} plant-cba`,
      });
    }
    const name = checkedAlias(args.alias);
    const id = await addressId(ports, args.id);
    const owner = await idOfAlias(name, ports);
    if (owner !== undefined && owner !== id) {
      throw new ProcError('invalid_usage', `${show(name)} is already an alias of ${owner}`, {
        hint: `Remove it first: proc addresses alias ${inShell(name)} --remove`,
      });
    }
    const addresses = await knownAddresses(ports);
    if (addresses.some((address) => address.id === name) || (await isAddress(name, ports))) {
      throw new ProcError('invalid_usage', `${show(name)} is already the id of an address`);
    }
    const result = ({ formattedAddress = null }: Row): Result => ({
      kind: 'record',
      columns: ALIAS_COLUMNS,
      value: { id, alias: name, formattedAddress },
    });
    return {
      async would() {
        const canRead = await ports.lookup.allowed();
        return result(canRead ? await ports.lookup.call(getAddress, { params: { id } }) : {});
      },
      async apply() {
        const value = await ports.lookup.call(getAddress, { params: { id } });
        await rememberAddress(ports, id, value);
        (await openAddressBook(ports)).setAlias(name, id);
        return result(value);
      },
    };
  },
});

async function planRemoval(
  first: string,
  second: string | undefined,
  ports: Ports<'store' | 'self'>,
): Promise<LocalPlan> {
  const name = parseReference('address', second ?? first).text;
  const id = await idOfAlias(name, ports);
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
      (await openAddressBook(ports)).removeAlias(name);
      return result();
    },
  };
}

function idOfAlias(name: string, ports: Ports<'store' | 'self'>): Promise<string | undefined> {
  return readAddressBook(ports, undefined, (book) => book.aliases().get(name));
}

/**
 * Whether the service has an address with this id; false if proc may not ask. An alias equal to an id
 * would be ambiguous.
 */
async function isAddress(id: string, ports: Ports<'lookup'>): Promise<boolean> {
  if (!(await ports.lookup.allowed())) return false;
  try {
    await ports.lookup.call(getAddress, { params: { id } });
    return true;
  } catch (thrown) {
    const isNone =
      thrown instanceof ProcError && ['not_found', 'forbidden', 'refused'].includes(thrown.code);
    if (isNone) return false;
    throw thrown;
  }
}

/** An alias must begin with a letter, so that it never looks like a flag or a number. */
function checkedAlias(name: string): string {
  if (/^\p{L}[\p{L}\p{N}._-]{0,63}$/u.test(name)) return name;
  throw new ProcError('invalid_usage', `${show(name)} is not a valid alias`, {
    hint: 'Use a letter, then letters, digits, dots, dashes or underscores; at most 64 characters.',
  });
}

function noAlias(name: string): ProcError {
  return new ProcError('reference_not_found', `there is no alias ${show(name)}`, {
    hint: 'List the aliases: proc addresses known',
  });
}
