import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Sheet } from '../../compose/requisition-sheet.ts';
import { messageOf, ProcError, systemCode } from '../../core/errors.ts';
import { CHECK_FOLDER } from '../../core/machine-errors.ts';
import type { Clock, Env, Kept, KeptKind } from '../../core/ports.ts';
import type { Target } from '../../core/service-target.ts';
import { inLang, type Phrase } from '../../core/text/phrase.ts';
import { newId } from '../../history/store.ts';
import { stateDir } from '../../settings/read/paths.ts';
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
const ID = /^d-[a-z0-9]{6}$/;

/** The drafts on this machine, one file each, so that a damaged file affects only its own draft. */
export class Drafts implements Kept {
  readonly #folder: string;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(env: Env, clock: Pick<Clock, 'now'>) {
    this.#folder = join(stateDir(env), 'drafts');
    this.#clock = clock;
  }

  fresh(
    target: Pick<Target, 'profile' | 'environment' | 'baseUrl'> & Pick<Draft, 'organization'>,
    sheet: Sheet = EMPTY_SHEET,
  ): Draft {
    const now = this.#clock.now();
    const { profile, environment, baseUrl, organization } = target;
    return {
      version: 1,
      id: this.#freeId(),
      revision: 0,
      created: now,
      updated: now,
      profile,
      environment,
      baseUrl,
      organization,
      sheet,
      attempts: [],
    };
  }

  /**
   * When this returns, the draft is on disk. If another wizard has saved the
   * draft meanwhile, stores this version under a new id, so that no version is lost.
   *
   * @throws ProcError `state_unwritable`
   */
  save(draft: Draft): Draft {
    const stored = draft.revision === 0 ? undefined : this.#revisionOf(draft.id);
    const isOvertaken = stored !== undefined && stored !== draft.revision;
    const next: Draft = {
      ...draft,
      id: isOvertaken ? this.#freeId() : draft.id,
      revision: draft.revision + 1,
      updated: this.#clock.now(),
    };
    const path = this.pathOf(next.id);
    try {
      createFolder(this.#folder);
      writeWholeFile(path, `${JSON.stringify(next, undefined, 2)}\n`, PRIVATE);
    } catch (thrown) {
      throw new ProcError(
        'state_unwritable',
        {
          en: `cannot write ${path}: ${messageOf(thrown)}`,
          es: `no se puede escribir ${path}: ${messageOf(thrown)}`,
        },
        {
          hint: CHECK_FOLDER,
          cause: thrown,
        },
      );
    }
    return next;
  }

  /** Latest first. */
  list(onUnreadable: (error: ProcError) => void): Draft[] {
    let names: string[];
    try {
      names = readdirSync(this.#folder);
    } catch {
      return [];
    }
    const drafts = names
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => {
        try {
          return [this.get(name.slice(0, -'.json'.length))];
        } catch (thrown) {
          if (!(thrown instanceof ProcError)) throw thrown;
          // `reference_not_found` is not reported: the name of the file is not the id of a draft, or
          // another process has just discarded the draft.
          if (thrown.code !== 'reference_not_found') onUnreadable(thrown);
          return [];
        }
      });
    return drafts.sort((a, b) => b.updated - a.updated || (a.id < b.id ? -1 : 1));
  }

  /** @throws ProcError `reference_not_found`, `config_unreadable` */
  get(id: string): Draft {
    const path = this.pathOf(id);
    let text: string;
    try {
      if (!ID.test(id)) throw Object.assign(new Error('no such id'), { code: 'ENOENT' });
      text = readRegularFile(path, MOST_BYTES).text;
    } catch (thrown) {
      if (systemCode(thrown) === 'ENOENT') {
        throw new ProcError(
          'reference_not_found',
          {
            en: `no draft has the id "${id}"`,
            es: `ningún borrador tiene el id "${id}"`,
          },
          {
            hint: {
              en: 'List the drafts: proc requisition draft list',
              es: 'Para ver los borradores: proc requisition draft list',
            },
          },
        );
      }
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
    throw unreadable(path, {
      en: 'it is not a draft of this version of proc',
      es: 'no es un borrador de esta versión de proc',
    });
  }

  /** Whether this version of the draft is on the disk. */
  keeps({ revision }: Draft): boolean {
    return revision > 0;
  }

  discard(id: string): void {
    rmSync(this.pathOf(id), { force: true });
  }

  /** Nothing stays open between calls. */
  close(): void {}

  pathOf(id: string): string {
    return join(this.#folder, `${id}.json`);
  }

  #revisionOf(id: string): number | undefined {
    try {
      return this.get(id).revision;
    } catch {
      return undefined;
    }
  }

  #freeId(): string {
    return newId(randomBytes(6)).replace(/^h/, 'd');
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

function unreadable(path: string, why: Phrase): ProcError {
  const message = {
    en: `cannot read ${path}: ${inLang(why, 'en')}`,
    es: `no se puede leer ${path}: ${inLang(why, 'es')}`,
  };
  return new ProcError('config_unreadable', message, {
    hint: {
      en: 'Check the file, and delete it if you do not need it',
      es: 'Compruebe el archivo, y bórrelo si no lo necesita',
    },
  });
}
