import { listOf, type Sql } from '../ledger/sql.ts';
import { keyFingerprint } from './key-fingerprint.ts';

/**
 * The organizations that have used one service with this ledger. A key is stored only as a short
 * fingerprint, with a random salt per ledger.
 */
export class Organizations {
  readonly #sql: Sql;
  readonly #service: string;

  constructor(sql: Sql, service: string) {
    this.#sql = sql;
    this.#service = service;
  }

  /**
   * E.g. `key-3f9a0c12b7de`. An organization without another name is called by the fingerprint of
   * its key.
   */
  async fingerprintOf(secret: string): Promise<string> {
    const [found] = await this.#sql.all('SELECT salt FROM key_salt');
    return keyFingerprint(found!.salt as string, secret);
  }

  /** Latest first; empty for a new key. */
  async namesOf(fingerprint: string): Promise<string[]> {
    const rows = await this.#sql.all(
      'SELECT name FROM organizations WHERE service = ? AND fingerprint = ? ORDER BY seq DESC',
      ...[this.#service, fingerprint],
    );
    return rows.map(({ name }) => name as string);
  }

  async keep(fingerprint: string, name: string): Promise<void> {
    await this.#sql.run(KEEP, this.#service, fingerprint, name);
  }

  /** @returns the name of the key: `name`, unless it has one */
  nameFirst(fingerprint: string, name: string): Promise<string> {
    return this.#sql.transaction(async (sql) => {
      const [found] = await sql.all(
        'SELECT name FROM organizations WHERE service = ? AND fingerprint = ?',
        ...[this.#service, fingerprint],
      );
      if (found !== undefined) return found.name as string;
      await sql.run(KEEP, this.#service, fingerprint, name);
      return name;
    });
  }

  rename(fingerprint: string, name: string): Promise<void> {
    return this.#sql.transaction(async (sql) => {
      await sql.run(
        'DELETE FROM organizations WHERE service = ? AND fingerprint = ?',
        ...[this.#service, fingerprint],
      );
      await sql.run(KEEP, this.#service, fingerprint, name);
    });
  }

  /** Organizations that have written to this service, except `names`. */
  async others(names: readonly string[]): Promise<string[]> {
    const rows = await this.#sql.all(
      `SELECT organization FROM entries WHERE service = ? AND organization IS NOT NULL AND is_forgotten = 0
       UNION SELECT organization FROM runs
         WHERE service = ? AND organization IS NOT NULL AND has_begun = 1 AND is_forgotten = 0
       EXCEPT SELECT value ->> 0 FROM json_each(?)`,
      ...[this.#service, this.#service, listOf(names)],
    );
    return rows.map(({ organization }) => organization as string);
  }
}

const KEEP =
  'INSERT INTO organizations (service, fingerprint, name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
