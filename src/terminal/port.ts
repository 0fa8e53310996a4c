import type { Prompts } from './prompts.ts';
import type { Terminal } from './terminal.ts';

declare module '../core/command.ts' {
  interface Context {
    readonly terminal: Terminal;
    /** Questions to a person; loaded when the first one is asked. */
    prompts(): Promise<Prompts>;
  }
}
