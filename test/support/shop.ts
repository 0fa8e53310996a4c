import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll } from 'vitest';
import type { Sheet } from '../../src/compose/requisition-sheet.ts';
import { Scope } from '../../src/core/service.ts';
import { Draft } from '../../src/wizard/wizard-draft.ts';
import { freshWorld, ROOT, type World } from './run.ts';
import { type LoggedSandbox, loggedSandbox } from './service.ts';
import { stock } from './stock.ts';

/** A world whose service is a shop. `read` returns the text of a file in the working directory. */
export interface ShopWorld extends World {
  read(name: string): Promise<string>;
}

/** A sandbox with the 295 items of the AdventureWorks catalogue. */
export async function openShop(): Promise<LoggedSandbox> {
  const sandbox = await loggedSandbox();
  const rows = parse(readFileSync(join(ROOT, 'examples/catalog.csv')), { columns: true }) as Record<
    string,
    string
  >[];
  const names = new Map(rows.map(({ SKU, Product }) => [SKU!, Product!]));
  stock(
    sandbox,
    [...names].map(([code, name]) => ({ code, name })),
  );
  return sandbox;
}

export async function worldOf(sandbox: Pick<LoggedSandbox, 'target'>): Promise<ShopWorld> {
  const world = await freshWorld({ ...sandbox.target, PROC_ORGANIZATION: 'sandbox' });
  return { ...world, read: (name) => readFile(join(world.cwd, name), 'utf8') };
}

export interface SharedShop {
  readonly sandbox: LoggedSandbox;
  world(): Promise<ShopWorld>;
  /** Stores a sheet as the draft of a world. */
  draft(world: World, sheet: Sheet, attempts?: readonly string[]): void;
}

/** Opens a shop, or another sandbox, before the tests of a file and closes it after them. */
export function sharedShop(open: () => Promise<LoggedSandbox> = openShop): SharedShop {
  let opened: LoggedSandbox | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.close());
  const sandbox = (): LoggedSandbox => {
    if (opened === undefined) throw new Error('the shop is open within tests only');
    return opened;
  };
  return {
    get sandbox() {
      return sandbox();
    },
    world: () => worldOf(sandbox()),
    draft({ env }, sheet, attempts = []) {
      const { baseUrl } = sandbox();
      const scope = new Scope({ baseUrl, organization: 'sandbox' });
      const draft = new Draft(scope, { env, clock: { now: Date.now } });
      draft.edit((empty) => Object.assign(empty, sheet));
      for (const digest of attempts) draft.noteAttempt(digest);
    },
  };
}

export interface SentRequisition {
  readonly title: string;
  readonly code?: string;
  readonly groups: {
    readonly name?: string;
    readonly addressId?: string;
    readonly items: { quantity: number; itemId?: string; item?: object }[];
  }[];
}

export async function lastPayload({ run }: World): Promise<SentRequisition> {
  const [entry] = JSON.parse((await run(['history', 'list', '--limit', '1'])).stdout);
  return JSON.parse((await run(['history', 'show', entry.id])).stdout).payload;
}

export async function lastQuantities(world: World): Promise<number[]> {
  const [group] = (await lastPayload(world)).groups;
  return group!.items.map(({ quantity }) => quantity);
}
