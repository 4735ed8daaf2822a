import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { RegistrationError } from '../../model/registration-error.ts'
import { serverUrls } from './server-urls.ts'

/** What the driver makes of the URLs. */
const serversOf = (url: string, hosts?: readonly string[]) =>
  serverUrls('postgres()', url, hosts).map((each) => {
    const { host, port, database, user, password } = new pg.Client({ connectionString: each })
    return { host, port, database, user, password }
  })
const common = { database: 'books', user: 'ann', password: 'p@s,s' }

describe('serverUrls', () => {
  it('leaves a URL with one host as it is', () => {
    for (const url of [
      'postgres://localhost/books',
      'postgresql://ann:p%40s@[::1]:5433/books?sslmode=disable',
      'postgres://postgres@localhost:6000/books?host=/run/postgresql',
      'postgres://%2Frun%2Fpostgresql/books',
      'postgres:///books?host=db-1&port=5433',
    ])
      expect(serverUrls('postgres()', url)).toEqual([url])
  })

  it('has one for each host, with its port, and what they share', () => {
    expect(serversOf('postgres://ann:p%40s%2Cs@a:5433,b,[::1]:6000/books')).toEqual([
      { host: 'a', port: 5433, ...common },
      { host: 'b', port: 5432, ...common },
      { host: '::1', port: 6000, ...common },
    ])
    const [first] = serverUrls('postgres()', 'postgres://a,b/books?options=-c%20jit%3Doff&x=1')
    expect(new pg.Client({ connectionString: first! })).toMatchObject({ host: 'a' })
    expect(new URL(first!).searchParams.get('options')).toBe('-c jit=off')
  })

  it('reads the parameters host and port of libpq', () => {
    const url = 'postgres://ann:p%40s%2Cs@/books?host=/run/one,db-2,10.0.0.3&port='
    const hosts = ['/run/one', 'db-2', '10.0.0.3']
    expect(serversOf(`${url}5432,5433,5434`)).toEqual(
      hosts.map((host, index) => ({ host, port: 5432 + index, ...common })),
    )
    expect(serversOf(`${url}6000`)).toEqual(hosts.map((host) => ({ host, port: 6000, ...common })))
  })

  it('takes hosts in place of that of the URL, with its port where they have none', () => {
    const hosts = ['a', 'b:6001', '/run/post gres', '[fe80::1]:6002']
    const expected = (port: number) => [
      { host: 'a', port, ...common },
      { host: 'b', port: 6001, ...common },
      { host: '/run/post gres', port, ...common },
      { host: 'fe80::1', port: 6002, ...common },
    ]
    expect(serversOf('postgres://ann:p%40s%2Cs@localhost:6000/books', hosts)).toEqual(
      expected(6000),
    )
    expect(serversOf('postgres://ann:p%40s%2Cs@c:1,d:2/books', hosts)).toEqual(expected(5432))
  })

  it('names all faults, and never the password', () => {
    const refusalOf = (url: string, hosts?: unknown) => {
      try {
        serverUrls('postgres()', url, hosts as readonly string[])
      } catch (error) {
        expect(error).toBeInstanceOf(RegistrationError)
        return (error as Error).message
      }
      throw new Error('It was not refused.')
    }
    const expectation =
      "expected a name or an address with or without a port, such as 'db-1' or '[::1]:5432', or the folder of a Unix socket."
    expect(refusalOf('mysql://a,b/books')).toBe(
      "The URL of postgres() must begin with 'postgres://' or 'postgresql://'.",
    )
    expect(refusalOf('postgres://ann:secret@a,,b:65536,b:0,a/books').split('\n')).toEqual([
      ...['', 'b:65536', 'b:0'].map(
        (host) => `The URL of postgres() names the host '${host}'; ${expectation}`,
      ),
      "The URL of postgres() names 'a' more than once.",
    ])
    expect(refusalOf('postgres:///books?host=a,b,c&port=1,2')).toBe(
      'The URL of postgres() has 2 ports, and the number of its hosts is 3; expected one port for all of them, or one for each.',
    )
    const url = 'postgres://localhost/books'
    const hosts = "The option 'hosts' of postgres()"
    for (const none of [[], 'a,b', null])
      expect(refusalOf(url, none)).toBe(`${hosts} must be an array with at least one host.`)
    expect(refusalOf(url, ['db 1', 7, 'a,b', 'postgres://a']).split('\n')).toEqual(
      ['db 1', '7', 'a,b', 'postgres://a'].map(
        (host) => `${hosts} names the host '${host}'; ${expectation}`,
      ),
    )
  })
})
