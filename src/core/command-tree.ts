import type { CommandSpec, FlagSpecs } from './command-spec.ts';

export interface NounTree {
  readonly name: string;
  /** Words that mean the same. The first is the singular of a plural name, or the reverse. */
  readonly aliases: readonly string[];
  readonly summary: string;
  /** Names between noun and verb (`requisition group add`), with their summaries. */
  readonly groups: Readonly<Record<string, string>>;
  /** Without hidden commands. */
  readonly commands: readonly CommandSpec[];
}

export interface CommandTree {
  readonly nouns: readonly NounTree[];
  readonly globals: FlagSpecs;
}
