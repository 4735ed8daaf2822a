import { describe, expect, it } from 'vitest'
import { clientAddress, type TrustProxy } from './client-address.ts'

function addressFor(
  trustProxy: TrustProxy | undefined,
  socketAddress: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): string | undefined {
  return clientAddress(trustProxy, 'serve()')(socketAddress, headers)
}

const xff = (value: string) => ({ 'x-forwarded-for': value })

describe('The address of a client', () => {
  it('is that of the connection, whatever the client claims', () => {
    const headers = { ...xff('1.2.3.4'), forwarded: 'for=1.2.3.4' }
    expect(addressFor(undefined, '203.0.113.7', headers)).toBe('203.0.113.7')
    expect(addressFor(undefined, '::ffff:203.0.113.7')).toBe('203.0.113.7')
    expect(addressFor(undefined, undefined)).toBe(undefined)
  })

  it('is as many hops away as there are proxies', () => {
    expect(addressFor(1, '10.0.0.1', xff('9.9.9.9, 203.0.113.7'))).toBe('203.0.113.7')
    expect(addressFor(2, '10.0.0.1', xff('9.9.9.9, 203.0.113.7, 10.0.0.2'))).toBe('203.0.113.7')
    expect(addressFor(2, '10.0.0.1', xff('203.0.113.7'))).toBe('203.0.113.7')
    expect(addressFor(1, '10.0.0.1')).toBe('10.0.0.1')
    expect(addressFor(1, undefined, xff('203.0.113.7'))).toBe('203.0.113.7')
  })

  it('is the first that is none of the proxies', () => {
    const proxies = ['10.0.0.0/8', 'loopback', '2001:db8::/32']
    expect(addressFor(proxies, '10.0.0.1', xff('9.9.9.9, 203.0.113.7, 10.2.3.4'))).toBe(
      '203.0.113.7',
    )
    expect(addressFor(proxies, '127.0.0.1', xff('203.0.113.7'))).toBe('203.0.113.7')
    expect(addressFor(proxies, '2001:db8::5', xff('203.0.113.7'))).toBe('203.0.113.7')
    // A client that reaches the server past the proxies cannot claim an address.
    expect(addressFor(proxies, '198.51.100.1', xff('203.0.113.7'))).toBe('198.51.100.1')
    expect(addressFor(proxies, '10.0.0.1', xff('10.0.0.9, 10.0.0.8'))).toBe('10.0.0.9')
  })

  it('is unknown where the proxy says no address', () => {
    expect(addressFor(1, '10.0.0.1', xff('1.2.3.4, unknown'))).toBe(undefined)
    expect(addressFor(['10.0.0.0/8'], '10.0.0.1', xff('1.2.3.4, junk'))).toBe(undefined)
  })

  it('is never what the client claims in Forwarded', () => {
    const claim = (sent: string) => ({ forwarded: `${sent}, for=203.0.113.7` })
    for (const sent of [
      'for=6.6.6.1;x="',
      'for=6.6.6.1;x="\\',
      'for="6.6.6.1',
      '"',
      '=',
      ',',
      '',
    ]) {
      for (const proxies of [1, ['10.0.0.0/8']] as const)
        expect(addressFor({ proxies, header: 'forwarded' }, '10.0.0.1', claim(sent)), sent).toBe(
          '203.0.113.7',
        )
      // Two proxies are expected, and one was passed by.
      const both = { proxies: 2, header: 'forwarded' } as const
      if (sent.includes('x'))
        expect(addressFor(both, '10.0.0.1', claim(sent)), sent).toBe(undefined)
    }
  })

  it('is read from one header only', () => {
    const headers = { ...xff('1.1.1.1'), forwarded: 'for=203.0.113.7' }
    expect(addressFor({ proxies: 1, header: 'forwarded' }, '10.0.0.1', headers)).toBe('203.0.113.7')
    expect(addressFor({ proxies: 1 }, '10.0.0.1', headers)).toBe('1.1.1.1')
  })
})

it.each([
  [0, "got '0'"],
  [1.5, "got '1.5'"],
  [[], 'at least 1'],
  [['10.0.0.0/33'], "got '10.0.0.0/33'"],
  [['proxy.example'], "got 'proxy.example'"],
  [['10.0.0.1/8/9'], "got '10.0.0.1/8/9'"],
  [true, 'must be an object'],
  [{ proxies: 1, header: 'via' }, "must be 'x-forwarded-for' or 'forwarded'"],
  [{ proxy: 1 }, "Unknown option 'proxy'"],
])('trustProxy: %j is refused', (trustProxy, message) => {
  expect(() => clientAddress(trustProxy as TrustProxy, 'serve()')).toThrow(message)
})
