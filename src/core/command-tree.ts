import type { CommandSpec, FlagSpecs } from './command-spec.ts';

export interface NounTree {
  readonly name: string;
  /** The singular of a plural name, or the reverse. Commands accept either. */
  readonly alias: string | undefined;
  readonly summary: string;
  /** Names between noun and verb (`requisition group add`), with their summaries. */
  readonly groups: Readonly<Record<string, string>>;
  /** Without hidden commands. */
  readonly commands: readonly CommandSpec[];
}

export interface CommandTree {
  readonly nouns: readonly NounTree[];
  readonly globals: FlagSpecs;
  readonly topics: Readonly<Record<string, string>>;
}
