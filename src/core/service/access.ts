import { ProcError } from '../errors.ts';

/** From least to most: `allows` compares positions. */
export const ACCESS_LEVELS = ['read', 'stage', 'write'] as const;

/**
 * `read`: reads and dry runs. `stage`: also drafts and staged imports, which send nothing. `write`:
 * everything.
 */
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

export interface Access {
  readonly level: AccessLevel;
  /**
   * Where the level was set: `PROC_READ_ONLY`, or an environment such as `acme/production`. Empty for the
   * default.
   */
  readonly place: string;
  /** The reason for a refusal: `acme/production has the access level read`. */
  readonly reason: string;
  raise(to: AccessLevel): string;
}

export const FULL_ACCESS: Access = {
  level: 'write',
  place: '',
  reason: '',
  raise: () => '',
};

export function allows({ level }: Pick<Access, 'level'>, needed: AccessLevel): boolean {
  return ACCESS_LEVELS.indexOf(level) >= ACCESS_LEVELS.indexOf(needed);
}

/**
 * Refuses what the access level does not allow, before anything is sent.
 *
 * @param what the refused action, for the error: `proc items create`, `POST /api/v1/items/`
 * @param atStage what the level `stage` allows instead, for the hint
 * @throws ProcError `access_level`
 */
export function requireAccess(
  needed: AccessLevel,
  access: Access,
  what: string,
  atStage?: string,
): void {
  if (allows(access, needed)) return;
  const instead =
    access.level === 'stage' && atStage !== undefined
      ? atStage
      : 'To see what would be sent, add --dry-run.';
  throw new ProcError(
    'access_level',
    `${what} is not allowed: ${access.reason}; nothing was sent`,
    {
      hint: `${instead} ${access.raise(needed)}`,
      details: { needed, level: access.level, place: access.place },
    },
  );
}
