import type { CommandSpec, FlagSpecs } from './command-spec.ts';

/** A noun with its verbs loaded. */
export interface NounTree {
  readonly name: string;
  /** Singular for a plural name and the reverse: every noun works in both. */
  readonly alias: string | undefined;
  readonly summary: string;
  /** Names between noun and verb (`requisition group add`), with their summaries. */
  readonly groups: Readonly<Record<string, string>>;
  /** Without hidden commands. */
  readonly commands: readonly CommandSpec[];
}

/** The whole command line as data: completion, schemas and man pages derive from it. */
export interface CommandTree {
  readonly nouns: readonly NounTree[];
  readonly globals: FlagSpecs;
  /** Topics of `proc help`, with one line each. */
  readonly topics: Readonly<Record<string, string>>;
}
