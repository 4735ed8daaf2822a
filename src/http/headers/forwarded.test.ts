import { expect, test } from 'vitest'
import { parseForwarded, parseForwardedFor } from './forwarded.ts'

test.each([
  ['203.0.113.7', ['203.0.113.7']],
  ['203.0.113.7, 198.51.100.2:4711', ['203.0.113.7', '198.51.100.2']],
  ['[2001:DB8::1]:80, 2001:db8::2', ['2001:db8::1', '2001:db8::2']],
  ['::ffff:203.0.113.7', ['203.0.113.7']],
  ['unknown, , <script>', [undefined, undefined, undefined]],
] as const)('X-Forwarded-For: %s', (value, addresses) => {
  expect(parseForwardedFor(value)).toEqual(addresses)
})

test.each([
  ['for=192.0.2.60;proto=http;by=203.0.113.43', ['192.0.2.60']],
  ['For="[2001:db8:cafe::17]:4711"', ['2001:db8:cafe::17']],
  ['for=192.0.2.43, for=198.51.100.17', ['192.0.2.43', '198.51.100.17']],
  ['by=a;for="192.0.2.43:80";host="a,b;for=1.2.3.4"', ['192.0.2.43']],
  ['for=_hidden, for=unknown, proto=https', [undefined, undefined, undefined]],
  ['for="192.0.2.43', [undefined]],
  ['for="\\1\\92.0.2.43"', ['192.0.2.43']],
] as const)('Forwarded: %s', (value, addresses) => {
  expect(parseForwarded(value)).toEqual(addresses)
})
