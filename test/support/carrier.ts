import type { Carrier } from '../../src/cli/run-command-line.ts';
import type { AllPorts, Terminal } from '../../src/core/ports.ts';

/** Gives a command these ports. The use of any other port fails. */
export function carrier(ports: { readonly [Name in keyof AllPorts]?: object }): Carrier {
  const all = ports as unknown as AllPorts;
  return {
    isPreview: false,
    io: all.io.terminal === undefined ? { ...all.io, terminal: {} as Terminal } : all.io,
    give: async () => all,
  };
}
