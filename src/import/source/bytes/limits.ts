import { MAX_DEPTH } from '../../../core/text/strict-json.ts';

/** A longer record is rejected. Keeps memory bounded for any file. */
export const MAX_RECORD_BYTES = 1 << 20;

/**
 * A record with deeper nesting is rejected: `JSON.stringify` overflows on what `JSON.parse`
 * accepts.
 */
export const MAX_RECORD_DEPTH = MAX_DEPTH;

/** Far more than any catalogue has. Objects with more fields take disproportionate memory. */
export const MAX_COLUMNS = 2048;

export const BATCH_RECORDS = 512;

/** Approximate maximum of bytes in a batch. */
export const BATCH_BYTES = 512 << 10;

/** Maximum number of cells in a batch: batches of wide CSV rows have fewer rows. */
export const BATCH_CELLS = 8192;

/** With more fields, V8 stores an object as a hash table, which takes several times the memory. */
export const FAST_FIELDS = 120;

/** Maximum number of cells in a batch whose rows are hash tables. */
export const BATCH_CELLS_WIDE = 2048;

export const READ_BYTES = 128 << 10;

/** How much of an overlong record is kept. */
export const KEPT_BYTES = 96 << 10;

/** {@link MAX_RECORD_BYTES} in messages. */
export const RECORD_LIMIT = '1 MiB';

/** Input that can be read only once is copied to the disk. A device or a pipe may have no end. */
export const MAX_SPOOL_BYTES = 2 * 2 ** 30;

/** Disk space that proc leaves free for other programs. */
export const KEPT_FREE_BYTES = 256 << 20;
