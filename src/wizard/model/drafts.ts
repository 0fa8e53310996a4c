import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stateDir } from '../../config/paths.ts';
import { messageOf, ProcError, systemCode } from '../../core/errors.ts';
import { CHECK_FOLDER } from '../../core/machine-errors.ts';
import type { Clock, Env, Kept, KeptKind } from '../../core/ports.ts';
import { Scope } from '../../core/scope.ts';
import { createFolder } from '../../store/folder.ts';
import { readRegularFile } from '../../store/regular-file.ts';
import { PRIVATE, writeWholeFile } from '../../store/whole-file.ts';
import { type Draft, draftSchema } from './draft-schema.ts';
import { EMPTY_SHEET } from './model.ts';

/**
 * A larger file cannot be a draft: a requisition with thousands of lines takes only a few
 * megabytes.
 */
const MOST_BYTES = 256 << 20;

type Owner = Pick<Draft, 'baseUrl' | 'organization'>;

/** The draft of each organization, one file each. The wizard saves every answer, and the next wizard offers it. */
export class Drafts implements Kept {
  readonly #folder: string;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(env: Env, clock: Pick<Clock, 'now'>) {
    this.#folder = join(stateDir(env), 'drafts');
    this.#clock = clock;
  }

  /** A draft that is stored by its first edit. */
  fresh({ baseUrl, organization }: Owner): Draft {
    const now = this.#clock.now();
    const times = { created: now, updated: now };
    return { version: 1, ...times, baseUrl, organization, sheet: EMPTY_SHEET, attempts: [] };
  }

  /** @throws ProcError `config_unreadable` */
  find({ service, organization }: Scope): Draft | undefined {
    if (organization === undefined) return undefined;
    return this.#read(this.#pathOf({ baseUrl: service, organization }));
  }

  /**
   * When this returns, the draft is on disk.
   *
   * @throws ProcError `state_unwritable`
   */
  save(draft: Draft): Draft {
    const next: Draft = { ...draft, updated: this.#clock.now() };
    const path = this.#pathOf(draft);
    try {
      createFolder(this.#folder);
      writeWholeFile(path, `${JSON.stringify(next, undefined, 2)}\n`, PRIVATE);
    } catch (thrown) {
      throw new ProcError('state_unwritable', `cannot write ${path}: ${messageOf(thrown)}`, {
        hint: CHECK_FOLDER,
        cause: thrown,
      });
    }
    return next;
  }

  /** Whether the answers are on the disk. */
  keeps(draft: Draft): boolean {
    return existsSync(this.#pathOf(draft));
  }

  discard(draft: Draft): void {
    rmSync(this.#pathOf(draft), { force: true });
  }

  /** Nothing stays open between calls. */
  close(): void {}

  #pathOf({ baseUrl, organization }: Owner): string {
    const hash = createHash('sha256').update(new Scope({ baseUrl, organization }).key);
    return join(this.#folder, `${hash.digest('hex').slice(0, 16)}.json`);
  }

  #read(path: string): Draft | undefined {
    let text: string;
    try {
      text = readRegularFile(path, MOST_BYTES).text;
    } catch (thrown) {
      if (systemCode(thrown) === 'ENOENT') return undefined;
      throw unreadable(path, messageOf(thrown));
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (thrown) {
      throw unreadable(path, messageOf(thrown));
    }
    const parsed = draftSchema.safeParse(value);
    if (parsed.success) return parsed.data as Draft;
    throw unreadable(path, 'it is not a draft of this version of proc');
  }
}

/** For a preview: drafts can be read, and stay as they are. */
class DraftsTwin extends Drafts {
  override save(draft: Draft): Draft {
    return draft;
  }

  override keeps(): boolean {
    return false;
  }

  override discard(): void {}
}

export const DRAFTS: KeptKind<Drafts> = {
  open: ({ env, clock }) => new Drafts(env, clock),
  twin: ({ env, clock }) => new DraftsTwin(env, clock),
};

function unreadable(path: string, why: string): ProcError {
  const message = `cannot read ${path}: ${why}`;
  return new ProcError('config_unreadable', message, {
    hint: 'Check the file, and delete it if you do not need it',
  });
}
