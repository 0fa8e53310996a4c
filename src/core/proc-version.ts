declare const __PROC_VERSION__: string | undefined;

/** The version of proc; `0.0.0-dev` when run from source. */
export const VERSION = typeof __PROC_VERSION__ === 'string' ? __PROC_VERSION__ : '0.0.0-dev';
