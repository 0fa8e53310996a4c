import type { AllPorts } from '../../src/core/ports.ts';

/** These ports, as a command is given them. The use of any other port fails. */
export function portsOf(ports: { readonly [Name in keyof AllPorts]?: object }): never {
  return ports as unknown as AllPorts as never;
}
