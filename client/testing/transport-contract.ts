/** What every transport promises, tried on two connected ends. Tests only. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Channel, Transport } from '../src/transport/transport.js';

/** Two connected ends. */
export interface Link {
  one: Transport;
  two: Transport;
  /** In virtual time: lets the next thing happen that is under way; false when there is none. */
  advance?(): boolean;
  /** The data channels that the ends opened themselves. */
  channels?: readonly RTCDataChannel[];
  /** Frees what the link stands on, after both ends are closed. */
  end?(): void;
}

interface Message {
  channel: Channel;
  bytes: Uint8Array;
}

const encode = (text: string) => new TextEncoder().encode(text);
const decode = ({ bytes }: Message) => new TextDecoder().decode(bytes);

/** Everything that one end was told, and ways to wait for it. */
class Listener {
  readonly messages: Message[] = [];
  readonly reasons: string[] = [];
  readonly #link: Link;
  #wake = () => {};

  constructor(transport: Transport, link: Link) {
    this.#link = link;
    transport.listen({
      message: (channel, bytes) => {
        // After the close there is nothing to be told.
        expect(this.reasons).toEqual([]);
        this.messages.push({ channel, bytes });
        this.#wake();
      },
      close: (reason) => {
        this.reasons.push(reason);
        this.#wake();
      },
    });
  }

  async received(count: number): Promise<Message[]> {
    await this.#until(() => this.messages.length >= count);
    return this.messages;
  }

  async closed(): Promise<string> {
    await this.#until(() => this.reasons.length > 0);
    return this.reasons[0];
  }

  async #until(done: () => boolean): Promise<void> {
    while (!done()) {
      if (this.#link.advance === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      } else if (!this.#link.advance()) throw new Error('nothing is under way, and it has not happened');
    }
  }
}

/** Runs the contract; `connect` makes a fresh link for each promise. */
export function transportContract(name: string, connect: () => Promise<Link>): void {
  describe(`${name}, as every transport,`, () => {
    const links: Link[] = [];
    afterEach(() => {
      for (const { one, two, end } of links.splice(0)) {
        one.close();
        two.close();
        end?.();
      }
    });

    async function linked(): Promise<Link> {
      const link = await connect();
      links.push(link);
      return link;
    }

    async function heard() {
      const link = await linked();
      return { ...link, link, toOne: new Listener(link.one, link), toTwo: new Listener(link.two, link) };
    }

    it('delivers on both lanes, both ways, and says on which', async () => {
      const { one, two, toOne, toTwo } = await heard();
      one.send('reliable', encode('a report'));
      await toTwo.received(1);
      one.send('unreliable', encode('a packet'));
      two.send('unreliable', encode('an answer'));
      two.send('reliable', encode('a last word'));
      const told = (messages: Message[]) => messages.map((message) => `${message.channel}: ${decode(message)}`).sort();
      expect(told(await toTwo.received(2))).toEqual(['reliable: a report', 'unreliable: a packet']);
      expect(told(await toOne.received(2))).toEqual(['reliable: a last word', 'unreliable: an answer']);
    });

    it('keeps the order of the reliable lane, and loses nothing of it', async () => {
      const { one, toTwo } = await heard();
      const lines = Array.from({ length: 500 }, (_, index) => `line ${index}`);
      for (const line of lines) one.send('reliable', encode(line));
      expect((await toTwo.received(500)).map(decode)).toEqual(lines);
    });

    it('sends a copy, so that the caller may reuse the buffer at once', async () => {
      const { one, toTwo } = await heard();
      const buffer = encode('..packet..');
      const packet = buffer.subarray(2, 8);
      for (const channel of ['unreliable', 'reliable'] as const) {
        packet.set(encode('packet'));
        one.send(channel, packet);
        buffer.fill(0);
      }
      expect((await toTwo.received(2)).map(decode)).toEqual(['packet', 'packet']);
      // And the receiver may keep, and change, what it got.
      toTwo.messages[0].bytes.fill(1);
      expect(buffer).toEqual(new Uint8Array(10));
      expect(decode(toTwo.messages[1])).toBe('packet');
    });

    it('takes a reliable message of 64 KiB whole', async () => {
      const { one, toTwo } = await heard();
      const large = Uint8Array.from({ length: 64 * 1024 }, (_, index) => (index * 31) & 0xff);
      one.send('reliable', large);
      const [message] = await toTwo.received(1);
      expect(message.channel).toBe('reliable');
      expect(Buffer.compare(message.bytes, large)).toBe(0);
    });

    it('keeps what comes before anybody listens, in order', async () => {
      const link = await linked();
      const toOne = new Listener(link.one, link);
      for (const line of ['first', 'second', 'third']) link.one.send('reliable', encode(line));
      // When the answer is here, so is what was sent before it.
      link.two.send('reliable', encode('go on'));
      await toOne.received(1);
      const toTwo = new Listener(link.two, link);
      expect((await toTwo.received(3)).map(decode)).toEqual(['first', 'second', 'third']);
    });

    it('delivers what was sent last before the close, which the other side hears of once, in words', async () => {
      const { one, two, toOne, toTwo } = await heard();
      one.send('reliable', encode('goodbye'));
      one.close();
      one.close();
      expect(await toTwo.closed()).toMatch(/^[A-Z].*\.$/);
      expect(toTwo.messages.map(decode)).toEqual(['goodbye']);
      one.close();
      two.close();
      expect(toTwo.reasons).toHaveLength(1);
      // Who closes knows.
      expect(toOne.reasons).toEqual([]);
    });

    it('tells of a close also to who listens only afterwards', async () => {
      const link = await linked();
      link.one.send('reliable', encode('goodbye'));
      link.one.close();
      while (link.advance?.());
      const { channels } = link;
      if (channels !== undefined) {
        await expect.poll(() => channels.map(({ readyState }) => readyState)).toEqual(channels.map(() => 'closed'));
      }
      const toTwo = new Listener(link.two, link);
      await toTwo.closed();
      expect(toTwo.messages.map(decode)).toEqual(['goodbye']);
    });

    it('sends nothing once it is closed, from either side, and does not complain', async () => {
      const { one, two, toOne, toTwo } = await heard();
      one.close();
      for (const channel of ['reliable', 'unreliable'] as const) one.send(channel, encode('too late'));
      await toTwo.closed();
      for (const channel of ['reliable', 'unreliable'] as const) two.send(channel, encode('to nobody'));
      expect([...toOne.messages, ...toTwo.messages]).toEqual([]);
    });

    it('has an ordered lane, and one that neither orders nor retransmits, drops when it is clogged, and is spared for a while', async ({
      skip,
    }) => {
      const { one, channels } = await linked();
      if (channels === undefined) return skip('it has no data channels');
      const lanes = (label: string) => channels.filter((channel) => channel.label === label);
      expect(lanes('reliable')).toHaveLength(1);
      expect(lanes('reliable')[0]).toMatchObject({ ordered: true, negotiated: false });
      expect(lanes('unreliable')).toHaveLength(2);
      for (const lane of lanes('unreliable')) {
        expect(lane).toMatchObject({ ordered: false, maxRetransmits: 0, negotiated: true, id: 101 });
      }

      const sent: number[] = [];
      let queued = 257;
      for (const lane of lanes('unreliable')) {
        Object.defineProperty(lane, 'bufferedAmount', { get: () => queued });
        lane.send = () => sent.push(1);
      }
      one.send('unreliable', encode('late'));
      expect(sent).toEqual([]);
      queued = 256;
      one.send('unreliable', encode('in time'));
      one.send('unreliable', encode('too soon after a clog'));
      expect(sent).toEqual([1]);
      const laterMs = performance.now() + 60_000;
      const clock = vi.spyOn(performance, 'now').mockReturnValue(laterMs);
      for (const packet of ['one', 'two']) one.send('unreliable', encode(packet));
      clock.mockRestore();
      expect(sent).toEqual([1, 1, 1]);
    });
  });
}
