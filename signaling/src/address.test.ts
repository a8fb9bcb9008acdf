import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { addressKey, clientAddress, isOriginAllowed } from './address.js';

function request(forwarded?: string): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: '10.0.0.1' });
  const message = new IncomingMessage(socket);
  if (forwarded !== undefined) message.headers['x-forwarded-for'] = forwarded;
  return message;
}

describe('the client address', () => {
  it('is the socket’s own without a trusted proxy, whatever is claimed', () => {
    expect(clientAddress(request('1.2.3.4'), 0)).toBe('10.0.0.1');
  });

  it('is what the nearest trusted proxies saw, and no claim beyond them', () => {
    expect(clientAddress(request('6.6.6.6, 1.2.3.4'), 1)).toBe('1.2.3.4');
    expect(clientAddress(request('6.6.6.6, 1.2.3.4, 10.0.0.2'), 2)).toBe('1.2.3.4');
    expect(clientAddress(request('1.2.3.4'), 3)).toBe('1.2.3.4');
    expect(clientAddress(request(), 1)).toBe('10.0.0.1');
    expect(clientAddress(request('nonsense'), 1)).toBe('10.0.0.1');
  });
});

describe('the key limits count by', () => {
  it.each([
    ['1.2.3.4', '1.2.3.4'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
  ])('of %s is %s', (address, key) => {
    expect(addressKey(address)).toBe(key);
  });
});

describe('an origin', () => {
  it.each([
    [undefined, 'a.example', true],
    ['http://a.example', 'a.example', true],
    ['https://a.example', 'a.example', true],
    ['https://a.example', 'a.example:443', true],
    ['http://192.168.1.5:8080', '192.168.1.5:8080', true],
    ['http://A.example', 'a.EXAMPLE', true],
    ['http://a.example:81', 'a.example', false],
    ['http://b.example', 'a.example', false],
    ['http://a.example.evil', 'a.example', false],
    ['null', 'a.example', false],
    ['', '', false],
    ['file://', '', false],
    ['http://a.example', undefined, false],
  ])('%j asking host %j: %j', (origin, host, allowed) => {
    expect(isOriginAllowed(origin, host, [])).toBe(allowed);
  });

  it('must be on the list where there is one', () => {
    expect(isOriginAllowed('https://g.example', 'a.example', ['https://g.example'])).toBe(true);
    expect(isOriginAllowed('https://a.example', 'a.example', ['https://g.example'])).toBe(false);
    expect(isOriginAllowed('https://x.example', 'a.example', ['*'])).toBe(true);
    expect(isOriginAllowed(undefined, 'a.example', ['https://g.example'])).toBe(true);
  });
});
