import type { Clock, Say, Streams, Terminal } from '../core/ports.ts';
import type { FormatLoader } from './format-loader.ts';
import type { OutputPlan } from './output-plan.ts';
import type { Sink } from './sink.ts';

export interface RenderOptions {
  readonly plan: OutputPlan;
  readonly streams: Streams;
  readonly terminal: Terminal;
  readonly say: Say;
  readonly load: FormatLoader;
  readonly clock: Pick<Clock, 'now'>;
}

export interface Rendering extends RenderOptions {
  readonly sink: Sink;
}
