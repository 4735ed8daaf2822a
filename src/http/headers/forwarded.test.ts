import fc from 'fast-check'
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
  ['for=[2001:db8:cafe::17]:4711;host=a.example:80', ['2001:db8:cafe::17']],
  ['for=192.0.2.43, for=198.51.100.17', ['192.0.2.43', '198.51.100.17']],
  ['by=a;for="192.0.2.43:80";host="a,b;for=1.2.3.4"', ['192.0.2.43']],
  ['for=_hidden, for=unknown, proto=https', [undefined, undefined, undefined]],
  ['for="\\1\\92.0.2.43"', ['192.0.2.43']],
  [' for=192.0.2.43 ;; proto=http ,\tfor=198.51.100.17', ['192.0.2.43', '198.51.100.17']],
  ['host="a\\"\\\\";for=192.0.2.43', ['192.0.2.43']],
  [',for=192.0.2.43', [undefined, '192.0.2.43']],
  ['', [undefined]],
] as const)('Forwarded: %s', (value, addresses) => {
  expect(parseForwarded(value)).toEqual(addresses)
})

test.each([
  ['an open quote', 'for=6.6.6.1;x="'],
  ['an open quote with an escape', 'for=6.6.6.1;x="\\'],
  ['an open quote further left', 'for=6.6.6.1, x="for=6.6.6.2, for=6.6.6.3'],
  ['no pair', 'for=6.6.6.1, 6.6.6.2'],
  ['no name', 'for=6.6.6.1, =6.6.6.2'],
  ['no value', 'for=6.6.6.1, for='],
  ['space around the sign', 'for=6.6.6.1, for = 6.6.6.2'],
  ['a parameter twice', 'for=6.6.6.1, for=6.6.6.2;for=6.6.6.3'],
])('%s makes unknown what is left of it', (_, sent) => {
  const addresses = parseForwarded(`${sent}, for=9.9.9.9`)
  expect(addresses.at(-1)).toBe('9.9.9.9')
  expect(addresses[0]).toBe(undefined)
})

test('whatever a client sends, the elements of the proxies are read as they were written', () => {
  const piece = fc.constantFrom('"', '\\', ',', ';', '=', 'for=6.6.6.1', 'x="', ' ', 'host', '\t')
  const sent = fc.oneof(fc.string({ unit: piece }), fc.string())
  const quoted = fc
    .oneof(fc.string({ unit: piece }), fc.string())
    .map((text) => `"${text.replaceAll(/[\\"]/g, '\\$&')}"`)
  const element = fc
    .tuple(fc.ipV4(), fc.option(quoted), fc.boolean())
    .map(([address, host, isFirst]) => {
      const pairs = [`for=${address}`, ...(host === null ? [] : [`host=${host}`])]
      return { address, text: (isFirst ? pairs : pairs.reverse()).join(';') }
    })
  fc.assert(
    fc.property(sent, element, element, (claimed, first, second) => {
      const value = `${claimed}, ${first.text}, ${second.text}`
      expect(parseForwarded(value).slice(-2)).toEqual([first.address, second.address])
    }),
  )
})
