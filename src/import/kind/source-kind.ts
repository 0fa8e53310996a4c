import type { RunHeader } from '../ledger/header.ts';
import type { Mapping } from '../map/mapping.ts';
import type { ImportTarget } from '../targets/import-target.ts';

/** What a file holds, and what that means for its import. */
export interface SourceKind {
  readonly name: 'plain' | 'flat' | 'repair';
  /** What its columns are mapped to. */
  readonly shape: ImportTarget;
  /** The column that brings rows together which make one body. */
  readonly groupBy: string | undefined;
  /** The run whose rejected rows it holds, which lends its mapping and how it treated rows without a code. */
  readonly repairs: RunHeader | undefined;
  /** @throws ProcError `invalid_usage` if its columns cannot be that */
  checkColumns(): void;
  /** @throws ProcError `invalid_usage` if the mapping leaves out what each body needs */
  checkMapping(mapping: Mapping): void;
}
