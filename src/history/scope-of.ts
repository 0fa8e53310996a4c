import { hash } from 'node:crypto';
import { newName } from '../config/config-file.ts';
import { ProcError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import { type KeyedTarget, Scope, serviceOf } from '../core/service.ts';
import { show } from '../core/validate.ts';
import { inShell } from '../core/wording.ts';
import type { Sql, Statements } from '../ledger/sql.ts';

/**
 * The service and organization of a command: what was sent before is looked up there. The first name under which a key
 * has written is its name for ever. A new key has the first name that exists of: `PROC_ORGANIZATION`, the profile of
 * the credential, the fingerprint of the key.
 *
 * @param variable `PROC_ORGANIZATION`
 * @param keeps whether to store the name of the key
 * @throws ProcError `invalid_usage`, if the key has another name
 */
export async function scopeOf(
  target: KeyedTarget,
  variable: string | undefined,
  sql: Sql,
  keeps: boolean,
): Promise<Scope> {
  const { baseUrl, credential, credentialProfile: profile } = target;
  const given = variable ? newName(variable, 'organization', 'PROC_ORGANIZATION') : undefined;
  if (credential === undefined) return new Scope({ baseUrl, organization: given ?? profile });
  const organizations = new Organizations(sql, serviceOf(baseUrl));
  const secret = credential.secret.reveal();
  const alias = hash('sha256', `${serviceOf(baseUrl)}\n${secret}`, 'hex');
  const key = await organizations.fingerprintOf(secret);
  const asked = { key, given, profile };
  const known = await organizations.nameOf(sql, asked);
  if (known.isRefused)
    throw otherName(
      known.name,
      given!,
      'sent',
      `Unset PROC_ORGANIZATION, or set it to ${known.name}`,
    );
  // The variable may have been set for another key.
  if (given !== undefined && profile !== undefined && given !== profile && !known.isOwn) {
    throw new ProcError(
      'invalid_usage',
      `PROC_ORGANIZATION is ${show(given)}, but the key belongs to the profile "${profile}"`,
      {
        hint: `Unset PROC_ORGANIZATION. If ${given} is another name of the organization of "${profile}", run: proc auth login -p ${inShell(profile)} --organization ${inShell(given)}`,
      },
    );
  }
  if (known.isKept || !keeps) {
    const { name, others } = known;
    return new Scope({ baseUrl, organization: name }, others, alias);
  }
  const organization = await organizations.keep(asked);
  return new Scope({ baseUrl, organization }, [], alias);
}

export interface KeyOfProfile {
  readonly baseUrl: string;
  readonly profile: string;
  readonly secret: Secret;
  /** The key that the new one replaces. */
  readonly before: Secret | undefined;
  /** `--organization` */
  readonly organization: string | undefined;
}

/**
 * Names the organization of a key before it is stored in a profile: a key that replaces another one writes for the same
 * organization.
 *
 * @throws ProcError `invalid_usage`, if the key, or the one that it replaces, writes for another organization
 */
export async function nameKey(
  { baseUrl, profile, secret, before, organization }: KeyOfProfile,
  sql: Sql,
): Promise<void> {
  const organizations = new Organizations(sql, serviceOf(baseUrl));
  const wanted = organization && newName(organization, 'organization', '--organization');
  const replaced = before && (await organizations.writerOf(before.reveal()));
  const given = wanted ?? replaced;
  if (given === undefined) return;
  if (replaced !== undefined && replaced !== given) {
    throw new ProcError(
      'invalid_usage',
      `the key that is stored for "${profile}" writes as ${show(replaced)}, not as ${show(given)}; nothing was stored`,
      {
        hint: 'Use another profile for another organization: proc profile add NAME -e ENV --base-url URL',
      },
    );
  }
  const key = await organizations.fingerprintOf(secret.reveal());
  const asked = { key, given, profile };
  const { isRefused, name } = await organizations.nameOf(sql, asked);
  const own = `proc auth login -p NAME --organization ${inShell(name)}`;
  if (isRefused)
    throw otherName(name, given, 'stored', `Use it in a profile of its own organization: ${own}`);
  await organizations.keep(asked);
}

function otherName(name: string, given: string, what: 'sent' | 'stored', hint: string): ProcError {
  const message = `this key writes as ${show(name)}, not as ${show(given)}; nothing was ${what}`;
  return new ProcError('invalid_usage', message, { hint });
}

interface Asked {
  /** The fingerprint of the key. */
  readonly key: string;
  readonly given: string | undefined;
  readonly profile: string | undefined;
}

interface Known {
  /** As the organization is called in `place` of runs and entries. */
  readonly name: string;
  /** The key has written with this name, or with the one that is given. */
  readonly isOwn: boolean;
  /** The key has written with another name than the given one. */
  readonly isRefused: boolean;
  /** There is nothing to store. */
  readonly isKept: boolean;
  /** A key without a name may be a new key of one of these organizations, which have written. */
  readonly others: readonly string[];
}

/** The organizations that have used one service with this ledger. */
class Organizations {
  readonly #sql: Sql;
  readonly #service: string;

  constructor(sql: Sql, service: string) {
    this.#sql = sql;
    this.#service = service;
  }

  /** E.g. `key-3f9a0c12b7de`. An organization without another name is called by the fingerprint of its key. */
  async fingerprintOf(secret: string): Promise<string> {
    const [found] = await this.#sql.all('SELECT salt FROM ledger');
    return `key-${hash('sha256', `${found!.salt}\n${secret}`, 'hex').slice(0, 12)}`;
  }

  /** The organization for which a key has written. */
  async writerOf(secret: string): Promise<string | undefined> {
    const found = await this.#stored(this.#sql, await this.fingerprintOf(secret));
    return found?.hasWritten ? found.name : undefined;
  }

  async nameOf(sql: Statements, { key, given, profile }: Asked): Promise<Known> {
    const label = given ?? profile;
    const ofKey = await this.#stored(sql, key);
    const ofLabel = label === undefined ? undefined : await this.#stored(sql, label);
    const isStored = (name: string) =>
      ofKey?.name === name && (label === undefined || ofLabel?.name === name);
    // A name without writes may have been a mistake, but not one that a login gave to a profile.
    const used = ofLabel?.hasWritten || ofLabel?.name !== label ? ofLabel?.name : undefined;
    if (ofKey?.hasWritten !== true) {
      const name = used ?? label ?? key;
      const others = name === key ? await this.writers(sql) : [];
      const isKept = others.length > 0 || isStored(name);
      return { name, isOwn: false, isRefused: false, isKept, others };
    }
    const { name } = ofKey;
    // The fingerprint of a key is no name, so another name may stand for it from now on.
    const isOwn =
      label === undefined || name === (used ?? label) || (name === key && used === undefined);
    const isRefused = given !== undefined && !isOwn;
    const isKept = isStored(name) || used !== undefined;
    return { name, isOwn, isRefused, isKept, others: [] };
  }

  /** @returns the name of the organization: another process may have stored one since */
  keep(asked: Asked): Promise<string> {
    return this.#sql.transaction(async (sql) => {
      const { name } = await this.nameOf(sql, asked);
      const { key, given, profile } = asked;
      for (const label of new Set([key, given ?? key, profile ?? key])) {
        await sql.run(
          'INSERT INTO organizations (service, name, place) VALUES (?, ?, ?) ON CONFLICT (service, name) DO UPDATE SET place = excluded.place',
          ...[this.#service, label, name],
        );
      }
      return name;
    });
  }

  /** Organizations that have written to the service. */
  async writers(sql: Statements = this.#sql): Promise<readonly string[]> {
    const prefix = `${this.#service} `;
    const rows = await sql.all(
      'SELECT place FROM runs WHERE substr(place, 1, ?) = ? UNION SELECT place FROM entries WHERE substr(place, 1, ?) = ?',
      ...[prefix.length, prefix, prefix.length, prefix],
    );
    return rows.map(({ place }) => (place as string).slice(prefix.length));
  }

  async #stored(
    sql: Statements,
    label: string,
  ): Promise<{ readonly name: string; readonly hasWritten: boolean } | undefined> {
    const [found] = await sql.all(
      `SELECT o.place, EXISTS (SELECT 1 FROM runs WHERE place = ? || o.place)
          OR EXISTS (SELECT 1 FROM entries WHERE place = ? || o.place) AS has_written
        FROM organizations o WHERE service = ? AND name = ?`,
      ...[`${this.#service} `, `${this.#service} `, this.#service, label],
    );
    if (found === undefined) return undefined;
    return { name: found.place as string, hasWritten: Boolean(found.has_written) };
  }
}
