import { type AddressInfo, connect, createServer } from 'node:net';
import { atFileEnd } from './at-end.ts';

/** One address of services that run one after the other: nobody else gets the port between them. */
export interface Door {
  readonly baseUrl: string;
  /** The port of the service that runs now. */
  to: number;
}

export async function openDoor(to = 0): Promise<Door> {
  const server = createServer((socket) => {
    const onward = connect(door.to, '127.0.0.1');
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      one.on('error', () => undefined).on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atFileEnd(() => server.close());
  const { port } = server.address() as AddressInfo;
  const door = { baseUrl: `http://127.0.0.1:${port}/api/v1`, to };
  return door;
}
