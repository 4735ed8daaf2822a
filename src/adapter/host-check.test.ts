import { afterEach, describe, expect, test } from 'vitest'
import { respond } from '../http/api-response.ts'
import { hostCheck } from './host-check.ts'
import { type Hosts, type Server, serve } from './node.ts'
import { rawExchange } from './raw-client.testing.ts'

let server: Server | undefined

afterEach(async () => {
  await server?.close()
})

const passes = (address: string, hosts: Hosts | undefined, host: string | undefined): boolean => {
  const check = hostCheck(address, hosts)
  try {
    check(host)
    check(host)
    return true
  } catch {
    return false
  }
}

describe('on a loopback address', () => {
  test.each([
    'localhost',
    'LocalHost:3000',
    'localhost.',
    'shop.localhost',
    '127.0.0.1:3000',
    '127.1.2.3',
    '[::1]:3000',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]:3000',
    '[0:0:0:0:0:ffff:7fff:ffff]',
    '[0:0:0:0:0:0:0:1]',
    '',
    undefined,
  ])('%s is served', (host) => {
    for (const address of ['127.0.0.1', '127.0.0.2', '::1'])
      expect(passes(address, undefined, host)).toBe(true)
  })

  test.each([
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '0.0.0.0',
    '10.0.0.1',
    '[::]',
    '[::2]',
    'notlocalhost',
  ])('%s is refused, unless it is named', (host) => {
    expect(passes('127.0.0.1', undefined, host)).toBe(false)
    expect(passes('127.0.0.1', ['other.example'], host)).toBe(false)
    expect(passes('127.0.0.1', [host.replace(/:\d+$/, '')], host)).toBe(true)
    expect(passes('127.0.0.1', 'any', host)).toBe(true)
  })

  test('another host is 421, whatever it asks for', async () => {
    server = await serve({
      basePath: '',
      respond: async () => ({ status: 204, headers: {}, body: { kind: 'empty' } }),
    })
    for (const line of ['GET /', 'POST /a', 'OPTIONS *', 'GET http://evil.example/']) {
      const response = await rawExchange(
        server.port,
        `${line} HTTP/1.1\r\nHost: evil.example\r\n\r\n`,
      )
      expect([line, response.status, JSON.parse(response.body).errors[0].code]).toEqual([
        line,
        421,
        'misdirected-request',
      ])
    }
    const own = await rawExchange(
      server.port,
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`,
    )
    expect(own.status).toBe(204)
  })
})

test('on other addresses, hosts are refused only where names are given', () => {
  expect(passes('0.0.0.0', undefined, 'evil.example')).toBe(true)
  expect(passes('0.0.0.0', ['shop.example'], 'evil.example')).toBe(false)
  expect(passes('0.0.0.0', ['shop.example'], 'shop.example:8080')).toBe(true)
})

test.each([
  [['https://shop.example']],
  [['shop.example:80']],
  [['Shop.example']],
  [['']],
  ['shop.example'],
  [[5]],
])('hosts cannot be %j', async (hosts) => {
  const service = { basePath: '', respond: async () => respond(200) }
  await expect(serve(service, { hosts: hosts as unknown as Hosts })).rejects.toThrow(
    "The option 'hosts' of serve()",
  )
})
