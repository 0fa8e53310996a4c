import type { RunHeader } from '../ledger/header.ts';
import type { Mapping } from '../map/mapping.ts';
import type { ImportTarget } from '../targets/import-target.ts';

/** What a file contains, and how that changes its import. */
export interface SourceKind {
  readonly name: 'plain' | 'flat' | 'repair';
  /** The fields to which its columns are mapped. */
  readonly shape: ImportTarget;
  /** The column whose equal values make one body of several rows. */
  readonly groupBy: string | undefined;
  /**
   * The run whose rejected rows it contains: its mapping and its treatment of rows without a code
   * are used again.
   */
  readonly repairs: RunHeader | undefined;
  /** @throws ProcError `invalid_usage` if its columns do not fit */
  checkColumns(): void | Promise<void>;
  /** @throws ProcError `invalid_usage` if the mapping leaves out a field that each body needs */
  checkMapping(mapping: Mapping): void;
}
