import type { Guide } from './guide.ts';

declare module '../core/command.ts' {
  interface Context {
    /** The wizard; loaded when first used, as most commands ask nothing and draw nothing. */
    wizard(): Promise<Guide>;
  }
}
