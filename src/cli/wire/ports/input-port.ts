import type { EndpointSpec } from '../../../core/endpoint.ts';
import type { Body, BodySource, InputPort, IoPort, SelfPort } from '../../../core/ports.ts';
import { readBytes, readText } from '../../input/read-text.ts';

export function createInput({ streams, say }: IoPort, { flags, cwd, signal }: SelfPort): InputPort {
  const origin = { cwd, stdin: streams.stdin, signal };
  return {
    readBytes: (file) => readBytes(file, origin),
    readText: (file, options) => readText(file, origin, options),
    async body<E extends EndpointSpec>(spec: E, source: BodySource): Promise<Body<E>> {
      const { readBody } = await import('../../input/body.ts');
      return readBody(spec, source, {
        readText: (file, ifTooLarge) => readText(file, origin, { ifTooLarge }),
        yaml: async () => (await import('../../input/yaml-payload.ts')).readYamlPayload,
        say,
        allowUnknown: flags.allowUnknown,
      });
    },
  };
}
