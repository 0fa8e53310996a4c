import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Only in the project `nightly`. */
    atNight?: boolean;
  }
}

/** Whether a long proof runs at its full size. `npm test` runs a small part of it. */
export const atNight: boolean = inject('atNight') ?? false;
