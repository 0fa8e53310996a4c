import type { Engine } from './engine.ts';

declare module '../core/command.ts' {
  interface Context {
    /** Bulk import; loaded when first used, as `items list` needs none of it. */
    bulk(): Promise<Engine>;
  }
}
