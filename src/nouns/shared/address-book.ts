import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { ProcError } from '../../core/errors.ts';
import type { Env, Kept, KeptKind, Ports } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import type { Scope } from '../../core/scope.ts';
import { inShell } from '../../core/text/typed.ts';
import { stateDir } from '../../settings/read/paths.ts';
import { IN_MEMORY, namingErrors, openDatabase } from '../../store/open-database.ts';

const VERSION = 1;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS known (
    service TEXT, organization TEXT, id TEXT, formattedAddress TEXT, city TEXT, country TEXT,
    seenAt INTEGER NOT NULL,
    PRIMARY KEY (service, organization, id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS aliases (
    service TEXT, organization TEXT, alias TEXT, id TEXT NOT NULL,
    PRIMARY KEY (service, organization, alias)
  ) STRICT;
  PRAGMA user_version = ${VERSION};
`;

/** The service cannot list addresses, so proc stores those that it has seen. */
export interface SeenAddress {
  readonly id: string;
  readonly formattedAddress: string | undefined;
  readonly city: string | undefined;
  readonly country: string | undefined;
  /** Milliseconds since the epoch. */
  readonly seenAt: number;
}

export class AddressBook {
  readonly #database: DatabaseSync;
  readonly #scope: Scope;
  readonly #owner: readonly [string, string];
  /** The service, and a JSON array of all names of the organization. */
  readonly #ours: readonly [string, string];

  constructor(database: DatabaseSync, scope: Scope) {
    this.#database = database;
    this.#scope = scope;
    this.#owner = [scope.service, scope.organization ?? ''];
    this.#ours = [scope.service, JSON.stringify(scope.names)];
  }

  remember(address: Omit<SeenAddress, 'seenAt'>, now: number): void {
    const { id, formattedAddress = null, city = null, country = null } = address;
    this.#database
      .prepare('INSERT OR REPLACE INTO known VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(...this.#owner, id, formattedAddress, city, country, now);
  }

  forget(id: string): void {
    for (const table of ['known', 'aliases']) {
      this.#database
        .prepare(`DELETE FROM ${table} WHERE ${OURS} AND id = ?`)
        .run(...this.#ours, id);
    }
  }

  /** Most recent first. */
  seen(): SeenAddress[] {
    const rows = this.#database
      .prepare(`SELECT * FROM known WHERE ${OURS} ORDER BY seenAt DESC, id`)
      .all(...this.#ours);
    return rows.map((row) => ({
      id: row.id as string,
      formattedAddress: (row.formattedAddress as string | null) ?? undefined,
      city: (row.city as string | null) ?? undefined,
      country: (row.country as string | null) ?? undefined,
      seenAt: row.seenAt as number,
    }));
  }

  aliases(): ReadonlyMap<string, string> {
    const rows = this.#database
      .prepare(`SELECT alias, id FROM aliases WHERE ${OURS} ORDER BY alias`)
      .all(...this.#ours);
    return new Map(rows.map((row) => [row.alias as string, row.id as string]));
  }

  /**
   * The id of the address with this alias; undefined if no organization has the alias.
   *
   * @throws ProcError `reference_not_found` for an alias of another organization. Otherwise proc would send
   * the alias as an id
   */
  idOf(alias: string): string | undefined {
    const id = this.aliases().get(alias);
    if (id !== undefined) return id;
    const other = this.#database
      .prepare('SELECT organization FROM aliases WHERE service = ? AND alias = ?')
      .get(this.#scope.service, alias);
    if (other === undefined) return undefined;
    const whose =
      other.organization === '' ? 'an organization without a name' : String(other.organization);
    throw new ProcError(
      'reference_not_found',
      `the alias "${alias}" belongs to ${whose}, not to ${this.#scope.organization ?? 'the organization of this key'}`,
      {
        hint: `Set it for this organization: proc addresses alias ID ${inShell(alias)}${other.organization === '' ? '' : `. If the key belongs to ${whose}, add --organization ${inShell(whose)}`}`,
      },
    );
  }

  setAlias(alias: string, id: string): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO aliases VALUES (?, ?, ?, ?)')
      .run(...this.#owner, alias, id);
  }

  removeAlias(alias: string): void {
    this.#database
      .prepare(`DELETE FROM aliases WHERE ${OURS} AND alias = ?`)
      .run(...this.#ours, alias);
  }
}

const OURS = 'service = ? AND organization IN (SELECT value FROM json_each(?))';

/** For a preview: addresses can be read, and stay as they are. */
class AddressBookTwin extends AddressBook {
  override remember(): void {}

  override forget(): void {}
}

/** The address books of all services and organizations: one file. */
interface AddressBooks extends Kept {
  of(scope: Scope): AddressBook;
}

function openBooks(path: string, Book: typeof AddressBook): AddressBooks {
  const database = namingErrors(openDatabase(path, { synchronous: 'NORMAL' }), path);
  prepareSchema(database, path);
  return { of: (scope) => new Book(database, scope), close: () => database.close() };
}

const ADDRESS_BOOKS: KeptKind<AddressBooks> = {
  open: ({ env }) => openBooks(bookFile(env), AddressBook),
  twin: ({ env }) => {
    const path = bookFile(env);
    return openBooks(existsSync(path) ? path : IN_MEMORY, AddressBookTwin);
  },
};

function bookFile(env: Env): string {
  return join(stateDir(env), 'addresses.db');
}

/**
 * The address book of the command's target. Creates the file if it is missing.
 *
 * @throws ProcError `state_unwritable` or `config_unreadable`
 */
export async function openAddressBook({ store }: Ports<'store'>): Promise<AddressBook> {
  const scope = await store.scope();
  return (await store.open(ADDRESS_BOOKS)).of(scope);
}

function prepareSchema(database: DatabaseSync, path: string): void {
  const version = () => Number(database.prepare('PRAGMA user_version').get()!.user_version);
  if (version() === VERSION) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    if (version() > VERSION) {
      throw new ProcError('config_unreadable', `${path} was written by a newer version of proc`, {
        hint: 'Update proc, or set PROC_STATE_DIR to another folder',
      });
    }
    if (version() === 0) database.exec(SCHEMA);
    database.exec('COMMIT');
  } catch (thrown) {
    database.exec('ROLLBACK');
    throw thrown;
  }
}

/** Reads the address book. If there is no file, returns `otherwise` and creates none. */
export async function readAddressBook<T>(
  ports: Ports<'store' | 'self'>,
  otherwise: T,
  look: (book: AddressBook) => T,
): Promise<T> {
  return existsSync(bookFile(ports.self.env)) ? look(await openAddressBook(ports)) : otherwise;
}

/**
 * Remembers an address that the service returned. If this fails, the command still succeeds, and proc
 * warns only with `--verbose`.
 */
export async function rememberAddress(
  ports: Ports<'io' | 'store' | 'self'>,
  id: string,
  row: Row,
): Promise<void> {
  const text = (key: string) => (typeof row[key] === 'string' ? (row[key] as string) : undefined);
  const address = {
    id,
    formattedAddress: text('formattedAddress'),
    city: text('city'),
    country: text('country'),
  };
  await keep(ports, (book) => book.remember(address, ports.self.clock.now()));
}

export async function forgetAddress(
  ports: Ports<'io' | 'store' | 'self'>,
  id: string,
): Promise<void> {
  await keep(ports, (book) => book.forget(id));
}

async function keep(
  ports: Ports<'io' | 'store' | 'self'>,
  work: (book: AddressBook) => void,
): Promise<void> {
  try {
    work(await openAddressBook(ports));
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    if (ports.self.flags.verbose) {
      ports.io.say({ kind: 'warning', text: `the address was not remembered: ${thrown.message}` });
    }
  }
}
