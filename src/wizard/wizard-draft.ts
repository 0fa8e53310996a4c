import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Sheet } from '../compose/requisition-sheet.ts';
import { cannotUse, messageOf, ProcError, systemCode } from '../core/errors.ts';
import type { Clock, Env } from '../core/io.ts';
import { isObject } from '../core/json.ts';
import type { Scope } from '../core/service.ts';
import { createFolder, stateDir } from '../store/folder.ts';
import { PRIVATE, readRegularFile, removeIfPossible, writeWholeFile } from '../store/whole-file.ts';

/** A requisition with thousands of lines takes only a few megabytes. */
const MOST_BYTES = 256 << 20;

interface Stored {
  readonly version: 1;
  /** Milliseconds since the epoch, like `updated`. */
  readonly created: number;
  readonly updated: number;
  readonly sheet: Sheet;
  /** Digests of the bodies that were sent, or were about to be. */
  readonly attempts: readonly string[];
}

interface DraftOptions {
  readonly env: Env;
  readonly clock: Pick<Clock, 'now'>;
  /** A preview reads the draft and leaves it as it is. */
  readonly isPreview?: boolean;
}

/** The answers of the wizard, in one file for each organization. Every answer is on the disk before the next question. */
export class Draft {
  /** An earlier wizard has left it. */
  readonly isFound: boolean;
  readonly #file: string;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #isStored: boolean;
  #stored: Stored;

  /** @throws ProcError `config_unreadable` */
  constructor(scope: Scope, { env, clock, isPreview = false }: DraftOptions) {
    const name = createHash('sha256').update(scope.key).digest('hex').slice(0, 16);
    this.#file = join(stateDir(env), 'drafts', `${name}.json`);
    this.#clock = clock;
    // Without an organization, nobody could tell later whose draft it is.
    this.#isStored = !isPreview && scope.organization !== undefined;
    const found = scope.organization === undefined ? undefined : read(this.#file);
    this.isFound = found !== undefined;
    this.#stored = found ?? this.#empty();
  }

  get sheet(): Sheet {
    return this.#stored.sheet;
  }

  get stored(): Stored {
    return this.#stored;
  }

  /** Whether the answers are on the disk. */
  get isKept(): boolean {
    return this.#isStored && existsSync(this.#file);
  }

  /** Begins a new requisition. Its first answer replaces the draft on the disk. */
  restart(): void {
    this.#stored = this.#empty();
  }

  /** @throws ProcError `state_unwritable`; the sheet is then as it was */
  edit(change: (sheet: Sheet) => void): void {
    const sheet = structuredClone(this.sheet);
    change(sheet);
    this.#save({ ...this.#stored, sheet });
  }

  /** Sets fields of the sheet, or of a part of it. */
  set<T extends object>(part: (sheet: Sheet) => T, values: Partial<T>): void {
    this.edit((sheet) => Object.assign(part(sheet), values));
  }

  /** Notes what is about to be sent, so that its outcome can be found after a crash. */
  noteAttempt(digest: string): void {
    this.#save({ ...this.#stored, attempts: [...new Set([...this.#stored.attempts, digest])] });
  }

  discard(): void {
    if (this.#isStored) removeIfPossible(this.#file);
  }

  #empty(): Stored {
    const now = this.#clock.now();
    return { version: 1, created: now, updated: now, sheet: { groups: [] }, attempts: [] };
  }

  #save(changed: Stored): void {
    const next = { ...changed, updated: this.#clock.now() };
    if (this.#isStored) {
      try {
        createFolder(join(this.#file, '..'));
        writeWholeFile(this.#file, `${JSON.stringify(next, undefined, 2)}\n`, PRIVATE);
      } catch (thrown) {
        throw cannotUse(this.#file, thrown);
      }
    }
    this.#stored = next;
  }
}

function read(file: string): Stored | undefined {
  try {
    const value: unknown = JSON.parse(readRegularFile(file, MOST_BYTES).text);
    const isDraft = isObject(value) && value.version === 1 && isObject(value.sheet);
    if (isDraft) return value as unknown as Stored;
    throw new Error('it is not a draft of this version of proc');
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return undefined;
    throw new ProcError('config_unreadable', `cannot read ${file}: ${messageOf(thrown)}`, {
      hint: 'Check the file, and delete it if you do not need it',
    });
  }
}
