import { describe, expect, it } from 'vitest'
import { isPublicAddress } from './public-address.ts'

describe('isPublicAddress', () => {
  it.each([
    '93.184.216.34',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.0',
    '2606:2800:220:1::1',
    '2a00:1450::1',
  ])('accepts %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  it.each([
    ['this network', '0.0.0.0'],
    ['private', '10.1.2.3'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['shared by carriers', '100.64.0.1'],
    ['this machine', '127.0.0.1'],
    ['this machine', '127.255.0.1'],
    ['metadata of a cloud', '169.254.169.254'],
    ['for documentation', '192.0.2.1'],
    ['for benchmarks', '198.19.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['this machine', '::1'],
    ['IPv4-mapped', '::ffff:127.0.0.1'],
    ['IPv4-mapped', '::ffff:8.8.8.8'],
    ['IPv4-compatible', '::8.8.8.8'],
    ['IPv4 by NAT64', '64:ff9b::a00:1'],
    ['IPv4 by 6to4', '2002:7f00:1::'],
    ['IPv4 by Teredo', '2001:0:7f00:1::'],
    ['for documentation', '2001:db8::1'],
    ['private', 'fd00::1'],
    ['metadata of a cloud', 'fd00:ec2::254'],
    ['of the link', 'fe80::1'],
    ['of the link, with a zone', 'fe80::1%eth0'],
    ['of the site', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['no address', 'localhost'],
    ['empty', ''],
  ])('refuses what is %s: %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})
