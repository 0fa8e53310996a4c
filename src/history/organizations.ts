import type { DatabaseSync } from 'node:sqlite';
import { keyFingerprint } from './key-fingerprint.ts';

/**
 * The organizations that have used one service from this machine. A key is known here by its
 * fingerprint only: salted with random bytes of this state folder, and cut short.
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

  /** `key-3f9a0c12b7de`: names the organization of a key until somebody gives it a name. */
  fingerprintOf(secret: string): string {
    const { salt } = this.#database.prepare('SELECT salt FROM key_salt').get() as { salt: string };
    return keyFingerprint(salt, secret);
  }

  /** The names of a key, the latest first; none for one that is new here. */
  namesOf(fingerprint: string): string[] {
    return this.#database
      .prepare(
        'SELECT name FROM organizations WHERE service = ? AND fingerprint = ? ORDER BY seq DESC',
      )
      .all(this.#service, fingerprint)
      .map(({ name }) => name as string);
  }

  /** Adds a name of a key. */
  keep(fingerprint: string, name: string): void {
    this.#insert(fingerprint, name);
  }

  /** Gives a key this name instead of all it had: somebody says so. */
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

  /** Those that have written here, without the given ones. */
  others(names: readonly string[]): string[] {
    const known = JSON.stringify(names);
    return this.#database
      .prepare(
        `SELECT organization FROM entries WHERE service = ?1 AND organization IS NOT NULL
         UNION SELECT organization FROM runs
           WHERE service = ?1 AND organization IS NOT NULL AND is_entered AND NOT is_forgotten
         EXCEPT SELECT value FROM json_each(?2)`,
      )
      .all(this.#service, known)
      .map(({ organization }) => organization as string);
  }
}
