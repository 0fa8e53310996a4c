import { MAX_DEPTH } from '../../../core/text/strict-json.ts';

/** A longer record is a row problem. Keeps memory bounded whatever a file holds. */
export const MAX_RECORD_BYTES = 1 << 20;

/** Nested deeper, a record is a row problem: `JSON.stringify` overflows on what `JSON.parse` accepts. */
export const MAX_RECORD_DEPTH = MAX_DEPTH;

/** Far more than any catalogue has; objects with more fields cost memory out of all proportion. */
export const MAX_COLUMNS = 2048;

/** Records that are handed on at once, at most. */
export const BATCH_RECORDS = 512;

/** Bytes of records that are handed on at once, about. */
export const BATCH_BYTES = 512 << 10;

/** Cells that are handed on at once, at most: of wide CSV rows there are fewer to a batch. */
export const BATCH_CELLS = 8192;

/** With more fields V8 keeps an object as a hash table, which takes several times the memory. */
export const FAST_FIELDS = 120;

/** Cells that are handed on at once where each row is a hash table. */
export const BATCH_CELLS_WIDE = 2048;

/** What is read from a file at once. */
export const READ_BYTES = 128 << 10;

/** What is kept of a record that is too long to be held. */
export const KEPT_BYTES = 96 << 10;

/** How messages call {@link MAX_RECORD_BYTES}. */
export const RECORD_LIMIT = '1 MiB';

/** What can be read only once is kept on the disk; a device or a pipe may have no end. */
export const MAX_SPOOL_BYTES = 2 * 2 ** 30;

/** What the disk keeps free: other programs need some. */
export const KEPT_FREE_BYTES = 256 << 20;
