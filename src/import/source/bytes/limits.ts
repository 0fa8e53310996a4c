import { MAX_DEPTH } from '../../../core/text/strict-json.ts';

/** Longer records are rejected, so memory stays bounded. */
export const MAX_RECORD_BYTES = 1 << 20;

/** Records nested deeper are rejected. */
export const MAX_RECORD_DEPTH = MAX_DEPTH;

/** Objects with more fields take disproportionate memory. Real catalogues have far fewer. */
export const MAX_COLUMNS = 2048;

export const BATCH_RECORDS = 512;

export const BATCH_BYTES = 512 << 10;

/** Limits the rows of a batch if the CSV has many columns. */
export const BATCH_CELLS = 8192;

/** With more fields, V8 stores an object as a hash table, which takes several times the memory. */
export const FAST_FIELDS = 120;

/** Replaces BATCH_CELLS if rows have more than FAST_FIELDS columns. */
export const BATCH_CELLS_WIDE = 2048;

export const READ_BYTES = 128 << 10;

/** {@link MAX_RECORD_BYTES} in messages. */
export const RECORD_LIMIT = '1 MiB';

/** The most that proc copies from a pipe or a device, which may have no end. */
export const MAX_SPOOL_BYTES = 2 * 2 ** 30;

/** Disk space that proc leaves free for other programs. */
export const KEPT_FREE_BYTES = 256 << 20;
