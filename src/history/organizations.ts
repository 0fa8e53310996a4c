import type { DatabaseSync } from 'node:sqlite';
import { keyFingerprint } from './key-fingerprint.ts';

/**
 * The organizations that have used one service from this machine. A key is stored only as a short
 * fingerprint, with a random salt per state folder.
 */
export class Organizations {
  readonly #database: DatabaseSync;
  readonly #service: string;
  readonly #commit: (work: () => void) => void;

  constructor(database: DatabaseSync, service: string, commit: (work: () => void) => void) {
    this.#database = database;
    this.#service = service;
    this.#commit = commit;
  }

  /**
   * E.g. `key-3f9a0c12b7de`. An organization without another name is called by the fingerprint of
   * its key.
   */
  fingerprintOf(secret: string): string {
    const { salt } = this.#database.prepare('SELECT salt FROM key_salt').get() as { salt: string };
    return keyFingerprint(salt, secret);
  }

  /** Latest first; empty for a new key. */
  namesOf(fingerprint: string): string[] {
    return this.#database
      .prepare(
        'SELECT name FROM organizations WHERE service = ? AND fingerprint = ? ORDER BY seq DESC',
      )
      .all(this.#service, fingerprint)
      .map(({ name }) => name as string);
  }

  keep(fingerprint: string, name: string): void {
    this.#insert(fingerprint, name);
  }

  rename(fingerprint: string, name: string): void {
    this.#commit(() => {
      this.#database
        .prepare('DELETE FROM organizations WHERE service = ? AND fingerprint = ?')
        .run(this.#service, fingerprint);
      this.#insert(fingerprint, name);
    });
  }

  #insert(fingerprint: string, name: string): void {
    this.#database
      .prepare(
        'INSERT INTO organizations (service, fingerprint, name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      )
      .run(this.#service, fingerprint, name);
  }

  /** Organizations that have written to this service, except `names`. */
  others(names: readonly string[]): string[] {
    const known = JSON.stringify(names);
    return this.#database
      .prepare(
        `SELECT organization FROM entries WHERE service = ? AND organization IS NOT NULL
         UNION SELECT organization FROM runs
           WHERE service = ? AND organization IS NOT NULL AND has_begun AND NOT is_forgotten
         EXCEPT SELECT value FROM json_each(?)`,
      )
      .all(this.#service, this.#service, known)
      .map(({ organization }) => organization as string);
  }
}
