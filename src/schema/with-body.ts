import type { CommandSpec } from '../core/command-spec.ts';
import type { CommandTree } from '../core/command-tree.ts';
import type { EndpointSpec } from '../core/endpoint.ts';

export interface WithBody {
  readonly spec: CommandSpec;
  readonly endpoint: EndpointSpec;
}

export function commandsWithBody(tree: CommandTree): WithBody[] {
  return tree.nouns
    .flatMap(({ commands }) => commands)
    .flatMap((spec) => {
      const endpoint = spec.endpoints?.find(({ body }) => body !== undefined);
      return endpoint === undefined ? [] : [{ spec, endpoint }];
    });
}

/** The commands whose body can be a file: `proc schema` lists them. */
export function commandsWithFile(tree: CommandTree): WithBody[] {
  return commandsWithBody(tree).filter(({ spec }) => spec.flags?.file !== undefined);
}
