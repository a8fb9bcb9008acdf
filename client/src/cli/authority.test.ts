import { describe, expect, it } from 'vitest';
import { commandIo } from '../../testing/command-io.js';
import type { HostAuthorityOptions, HostStatus } from '../authority/host-authority.js';
import type { WebRtc } from '../transport/simple-peer.js';
import { type AuthorityServices, authorityCommand } from './authority.js';
import { run } from './run.js';

const NOTHING = { count: 0, p50: null, p95: null, max: null };
const FINISHED: HostStatus = {
  room: 'K7PQ2M',
  frame: 600,
  hash: 0xabc,
  cause: 'finished',
  reason: 'The match is over.',
  players: ['Ada', 'Bo'].map((name) => ({
    name,
    slackMs: { ...NOTHING, p50: 21.4 },
    missed: 3,
    late: 2,
    refused: 1,
    droppedPackets: 0,
  })),
};

// The fake match connects nothing: whatever stands for WebRTC is only handed on.
const wrtc = { marker: 'wrtc' } as unknown as WebRtc;

async function authority(line: string, status = FINISHED, services: Partial<AuthorityServices> = {}) {
  let hosted: HostAuthorityOptions<unknown, unknown> | undefined;
  const { io, written } = commandIo();
  const command = authorityCommand({
    async host(_game, options) {
      hosted = options;
      options.onRoom?.({ code: 'K7PQ2M', link: 'http://localhost/?room=K7PQ2M&authority=1' });
      return { status: () => status, ended: Promise.resolve(status), recording: () => undefined, leave: () => {} };
    },
    webRtc: async () => wrtc,
    ...services,
  });
  const code = await run(['authority', ...line.split(' ').filter((arg) => arg !== '')], io, [command]);
  return { code, ...written(), hosted };
}

const SERVER = '--server http://localhost:8080 --game race';

describe('riposte authority', () => {
  it('hands the command line on to the match', async () => {
    const { hosted } = await authority(`${SERVER} --rate 30 --frames 600 --transport peerjs`);
    expect(hosted).toMatchObject({ server: 'http://localhost:8080', updatesPerSecond: 30, frames: 600, wrtc });
    expect(hosted?.transport).toBe('peerjs');
  });

  it('prints the room and its link first, and how each player fared at the end', async () => {
    const { code, out } = await authority(`${SERVER} --frames 600`);
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      'room K7PQ2M',
      'http://localhost/?room=K7PQ2M&authority=1',
      '600 frames, final hash 00000abc',
      'Ada: 3 frames without input, 2 late, 1 refused, inputs 21 ms early in the middle',
      'Bo: 3 frames without input, 2 late, 1 refused, inputs 21 ms early in the middle',
      '',
    ]);
  });

  it('prints one object first and one last with --json', async () => {
    const { out } = await authority(`${SERVER} --json`);
    const [first, last] = out
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(first).toEqual({ room: 'K7PQ2M', link: 'http://localhost/?room=K7PQ2M&authority=1' });
    expect(last).toEqual(FINISHED);
  });

  it('exits with 1 when the match did not end as asked, with 0 when its user ended an endless one', async () => {
    const left: HostStatus = { ...FINISHED, cause: 'left', reason: 'The authority ended the match.' };
    expect((await authority(`${SERVER} --frames 600`, left)).code).toBe(1);
    expect((await authority(SERVER, left)).code).toBe(0);
    const alone: HostStatus = { ...FINISHED, cause: 'peer-left', reason: 'All players left.' };
    const { code, err } = await authority(SERVER, alone);
    expect([code, err]).toEqual([1, 'All players left.\n']);
  });

  it('says what is wrong with a command line before anything is connected', async () => {
    const { code, err, hosted } = await authority(`${SERVER} --rate 61`);
    expect([code, hosted]).toEqual([2, undefined]);
    expect(err).toContain('--rate is "61"; expected an integer from 1 to 60');
    expect((await authority('--game race')).err).toContain('--server is not given');
    const missing = await authority(SERVER, FINISHED, { webRtc: () => Promise.reject(new Error('none')) });
    expect(missing.err).toContain('WebRTC for Node is missing');
  });
});
