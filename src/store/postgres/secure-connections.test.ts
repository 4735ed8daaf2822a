import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import {
  type SecureServer,
  startSecureServer,
} from '../../../test/support/postgres/secure-server.ts'
import { StoreUnavailable } from '../store-failures.ts'
import { PostgresDatabase } from './database.ts'

const password = "p@ss/wörd's"

describePostgres('PostgresDatabase over TLS, with passwords', () => {
  let secure: SecureServer
  beforeAll(async () => {
    secure = await startSecureServer()
    await secure.server.run(`create role reader login password '${password.replace("'", "''")}'`)
  }, 120_000)
  afterAll(() => secure.server.stop())

  const select = (database: PostgresDatabase, sql: string, signal?: AbortSignal) =>
    database.read([{ sql, parameters: [] }], signal && { signal })

  it('reads, and aborts statements', async () => {
    const database = new PostgresDatabase(secure.url('reader', password))
    const encrypted = 'select current_user, ssl from pg_stat_ssl where pid = pg_backend_pid()'
    expect((await select(database, encrypted))[0]!.rows).toEqual([['reader', 't']])
    const client = new AbortController()
    const outcome = select(database, 'select pg_sleep(60)', client.signal)
    setTimeout(() => client.abort(new Error('left')), 200)
    const began = performance.now()
    await expect(outcome).rejects.toThrow('left')
    expect(performance.now() - began).toBeLessThan(1_200)
    const running = "select 1 from pg_stat_activity where state = 'active' and query like '%(60)%'"
    expect(await secure.server.run(`${running} and pid <> pg_backend_pid()`)).toEqual([])
    await database.close()
  })

  it('says what is wrong with a password or without encryption, and never shows the password', async () => {
    const urls = [
      [secure.url('reader', `${password}!`), 'password authentication failed for user "reader"'],
      [secure.plainUrl('reader', password), 'no pg_hba.conf entry'],
    ] as const
    for (const [url, message] of urls) {
      const database = new PostgresDatabase(url)
      const error = await select(database, 'select 1').catch((reason: unknown) => reason)
      expect(error).toMatchObject({ message: expect.stringContaining(message) })
      expect(error).not.toBeInstanceOf(StoreUnavailable)
      expect(inspect([error, database], { depth: 9, showHidden: true })).not.toContain('p@ss')
      await database.close()
    }
  })

  it('does not trust a certificate that nobody vouches for', async () => {
    const url = secure.url('reader', password).replace(/&sslrootcert.*/, '')
    const database = new PostgresDatabase(url)
    await expect(select(database, 'select 1')).rejects.toThrow('self-signed certificate')
    await database.close()
  })
})
