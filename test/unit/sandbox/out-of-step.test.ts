import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KEY } from '../../support/raw-http.ts';
import { startTestSandbox } from '../../support/sandbox.ts';

function talk(port: number) {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  const responses = () => text.split(/(?=HTTP\/1\.1 )/).filter((response) => response !== '');
  return {
    responses,
    create(code: string): void {
      const body = JSON.stringify({ code, name: code });
      socket.write(
        `POST /api/v1/items/ HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-api-key: ${KEY}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    },
    statuses: () => responses().map((response) => Number(response.split(' ')[1])),
    isClosed: () => socket.readableEnded,
  };
}

describe('a sandbox out of step', () => {
  it('sends a response twice', async () => {
    const { port } = await startTestSandbox({ faults: 'dup=100%' });
    const line = talk(port);
    line.create('D-1');
    await expect.poll(line.statuses).toEqual([201, 201]);
    const [one, other] = line.responses().map((response) => response.split('\r\n\r\n')[1]);
    expect(other).toBe(one);
    expect(JSON.parse(one!)).toMatchObject({ code: 'D-1' });
  });

  it('sends a 429 twice', async () => {
    const { port } = await startTestSandbox({ faults: '429=100%,dup=100%' });
    const line = talk(port);
    line.create('D-1');
    await expect.poll(line.statuses).toEqual([429, 429]);
  });

  it('sends an unsolicited 503 with Retry-After, and closes', async () => {
    const { port } = await startTestSandbox({ faults: 'late503=100%' });
    const line = talk(port);
    line.create('D-1');
    await expect.poll(line.isClosed).toBe(true);
    expect(line.statuses()).toEqual([201, 503]);
    expect(line.responses()[1]).toMatch(/retry-after: 0\r\n/);
  });

  it('swaps the responses of two connections; a single response is sent normally', async () => {
    const { port } = await startTestSandbox({ faults: 'swap=100%' });
    const [one, other] = [talk(port), talk(port)];
    one.create('S-1');
    await expect.poll(one.statuses).toEqual([201]);
    expect(one.responses()[0]).toContain('"S-1"');
    one.create('S-2');
    other.create('S-3');
    await expect.poll(() => [...one.statuses(), ...other.statuses()]).toEqual([201, 201, 201]);
    expect(one.responses()[1]).toContain('"S-3"');
    expect(other.responses()[0]).toContain('"S-2"');
  });
});
