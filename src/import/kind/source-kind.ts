import type { RunHeader } from '../ledger/header.ts';
import type { Mapping } from '../map/mapping.ts';
import type { ImportTarget } from '../targets/import-target.ts';

/** What a file contains, and how that changes its import. */
export interface SourceKind {
  readonly name: 'plain' | 'flat' | 'repair';
  /** The target with the fields to which columns are mapped. */
  readonly shape: ImportTarget;
  /** The column whose equal values make one body of several rows. */
  readonly groupBy: string | undefined;
  /**
   * The earlier run whose rejected rows the file contains. Its mapping, `--group-by`, `--no-code` and
   * `--on-duplicate` apply again where no flag says otherwise.
   */
  readonly repairs: RunHeader | undefined;
  /** @throws ProcError `invalid_usage` if the columns do not fit the kind */
  checkColumns(): void | Promise<void>;
  /** @throws ProcError `invalid_usage` if the mapping omits a field that each body needs */
  checkMapping(mapping: Mapping): void;
}
