import type { Settings } from './open-settings.ts';

declare module '../../core/command.ts' {
  interface Context {
    /** For the commands that read or change settings; others need only `target()`. */
    settings(): Promise<Settings>;
  }
}
