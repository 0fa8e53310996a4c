import { expect } from 'vitest';
import { errorOf, type Ran, type RunOptions, type World } from './run.ts';
import { itemsCsv } from './team.ts';

export function costsCsv(to: number): string {
  const rows = Array.from({ length: to }, (_, at) => `6100,${at + 1},r-${at + 1}`);
  return `account,amount,reference\n${rows.join('\n')}\n`;
}

/** Imputations, which no list shows. */
export async function book(world: World, to: number, options: RunOptions = {}): Promise<Ran> {
  await world.file('cost.csv', costsCsv(to));
  return world.run(
    'imputations import cost.csv --set contractId=k-1 --yes -o json'.split(' '),
    options,
  );
}

export async function importItems(
  world: World,
  to: number,
  options: RunOptions = {},
): Promise<Ran> {
  await world.file('items.csv', itemsCsv(1, to));
  return world.run(['items', 'import', 'items.csv', '--yes', '-o', 'json'], options);
}

export const bookOne = (world: World, amount: number, options: RunOptions = {}) =>
  world.run(
    `imputations create --account 6100 --amount ${amount} --contract k-1 -o json`.split(' '),
    options,
  );

export function fine(ran: Ran): void {
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
}

export function changed(ran: Ran): void {
  expect(errorOf(ran)).toMatchObject({ code: 'ledger_changed', exitCode: 3, retry: 'after-check' });
  // A program must not accept it blindly.
  expect(errorOf(ran).details).not.toHaveProperty('command');
}
