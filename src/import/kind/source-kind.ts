import type { RunHeader } from '../ledger/header.ts';
import type { Mapping } from '../map/mapping.ts';
import type { ImportTarget } from '../targets/import-target.ts';

export interface SourceKind {
  readonly name: 'plain' | 'flat' | 'repair';
  /** The target. For flat rows, it has the fields and references of flat rows. */
  readonly shape: ImportTarget;
  /** Rows with the same value in this column make one body. */
  readonly groupBy: string | undefined;
  /**
   * The run whose rejected rows the file contains. Its mapping, `--group-by`, `--no-code` and
   * `--on-duplicate` are the defaults.
   */
  readonly repairs: RunHeader | undefined;
  /** @throws ProcError `invalid_usage` if the columns do not fit the kind */
  checkColumns(): void | Promise<void>;
  /** @throws ProcError `invalid_usage` if the mapping omits a field that each body needs */
  checkMapping(mapping: Mapping): void;
}
