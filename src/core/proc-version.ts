declare const __PROC_VERSION__: string | undefined;

export const VERSION = typeof __PROC_VERSION__ === 'string' ? __PROC_VERSION__ : '0.0.0-dev';
