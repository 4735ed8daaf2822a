import { afterAll, beforeAll, expect, it } from 'vitest'
import { bytesOf, inPieces } from '../../../test/support/bytes.ts'
import {
  describePgBouncer,
  describePostgres,
} from '../../../test/support/postgres/describe-postgres.ts'
import { startPgBouncer } from '../../../test/support/postgres/pg-bouncer.ts'
import {
  PostgresServer,
  type TestDatabase,
} from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { schemaChanges } from '../../../test/support/postgres/statement-log.ts'
import { expectSame, keysOf, readAll } from '../../contracts/blob-store/harness.ts'
import { blobStoreContract } from '../../contracts/blob-store-contract.ts'
import { BlobGone } from '../blob-store.ts'
import { StoreUnavailable } from '../store-failures.ts'
import { postgresBlobs } from './postgres-blobs.ts'

describePostgres('postgresBlobs', () => {
  let database: TestDatabase
  let count = 0
  beforeAll(async () => {
    database = await newDatabase()
  }, 120_000)
  afterAll(() => database.drop())

  /** A URL with which tables are created in a schema of their own. */
  const urlOfNewSchema = async (): Promise<string> => {
    const name = `blobs_${++count}`
    await (await sharedServer()).run(`create schema ${name}`, [], database.name)
    return `${database.url}&options=${encodeURIComponent(`-c search_path=${name}`)}`
  }

  blobStoreContract('postgres', async () => {
    const url = await urlOfNewSchema()
    const schema = `blobs_${count}`
    const server = await sharedServer()
    // The suite counts open descriptors, and pooled connections have some.
    const blobs = postgresBlobs(url, { idleTimeoutMs: 300 })
    await blobs.open()
    const keysIn = async (table: string) => {
      const rows = await server.run(`select key from ${schema}.${table}`, [], database.name)
      return rows.map(({ key }) => String(key))
    }
    return {
      blobs,
      chunkBytes: 262_144,
      listFiles: async () => [
        ...(await keysIn('resourcery_blobs')),
        ...(await keysIn('resourcery_blob_chunks')),
      ],
      async openAgain() {
        const other = postgresBlobs(url)
        await other.open()
        return other
      },
      dispose: () => blobs.close(),
    }
  })

  it('creates its tables once, whoever opens it first, and none when they are there', async () => {
    const own = await newDatabase({ logsStatements: true })
    const stores = Array.from({ length: 8 }, () => postgresBlobs(own.url))
    await Promise.all(stores.map((blobs) => blobs.open()))
    const created = schemaChanges(await own.statements())
    expect(created.length).toBeGreaterThanOrEqual(3)
    const later = postgresBlobs(own.url)
    await later.open()
    const key = await later.write(inPieces(bytesOf(300_000)))
    expectSame(await readAll(stores[0]!, key), bytesOf(300_000))
    await later.delete([key])
    expect(await keysOf(stores[0]!)).toEqual([])
    expect(schemaChanges(await own.statements())).toEqual(created)
    await Promise.all([later, ...stores].map((blobs) => blobs.close()))
    await own.drop()
  })

  it('never completes an upload of which a crash of the server has lost a chunk', async () => {
    const blobs = postgresBlobs(await urlOfNewSchema())
    await blobs.open()
    const schema = `blobs_${count}`
    const server = await sharedServer()
    const run = (sql: string) => server.run(sql, [], database.name)
    async function* source() {
      yield bytesOf(262_144)
      yield bytesOf(262_144)
      // Its commit has not waited for the disk, so that it looks like this after a crash.
      for (let deleted = 0; deleted === 0; ) {
        const rows = await run(
          `delete from ${schema}.resourcery_blob_chunks where number = 0 returning 1`,
        )
        deleted = rows.length
      }
      yield bytesOf(100)
    }
    await expect(blobs.write(source())).rejects.toThrow(BlobGone)
    expect(await keysOf(blobs)).toEqual([])
    await blobs.close()
  })

  it('holds no connection while a reader stands still', async () => {
    const blobs = postgresBlobs(await urlOfNewSchema(), { maxConnections: 1 })
    await blobs.open()
    const key = await blobs.write(inPieces(bytesOf(600_000)))
    const readers = await Promise.all(
      Array.from({ length: 20 }, async () => (await blobs.read(key))![Symbol.asyncIterator]()),
    )
    for (const reader of readers) expect((await reader.next()).value).toHaveLength(262_144)
    expectSame(await readAll(blobs, key), bytesOf(600_000))
    for (const reader of readers) await reader.return?.()
    await blobs.close()
  })

  it('deletes blobs of many chunks', async () => {
    const blobs = postgresBlobs(await urlOfNewSchema())
    await blobs.open()
    const size = 150 * 262_144 + 1
    const key = await blobs.write(inPieces(bytesOf(size), 1_000_000))
    expectSame(
      await readAll(blobs, key, { start: size - 262_200, end: size + 5 }),
      bytesOf(size).subarray(size - 262_200),
    )
    await blobs.delete([key])
    const rows = await (await sharedServer()).run(
      `select 1 from blobs_${count}.resourcery_blob_chunks`,
      [],
      database.name,
    )
    expect(rows).toEqual([])
    await blobs.close()
  })

  it('leaves what it could not finish to the sweep, and works when the server is back', async () => {
    const server = await PostgresServer.start()
    const blobs = postgresBlobs(server.url())
    await blobs.open()
    const kept = await blobs.write(inPieces(bytesOf(400_000)))
    async function* untilKilled() {
      yield* inPieces(bytesOf(600_000))
      await server.kill()
      yield* inPieces(bytesOf(600_000))
    }
    await expect(blobs.write(untilKilled())).rejects.toThrow(StoreUnavailable)
    await expect(blobs.read(kept)).rejects.toThrow(StoreUnavailable)
    await server.start()
    expectSame(await readAll(blobs, kept), bytesOf(400_000))
    const [unfinished] = (await keysOf(blobs)).filter((key) => key !== kept)
    expect(await blobs.read(unfinished!)).toBeUndefined()
    await blobs.delete([unfinished!])
    expect(await keysOf(blobs)).toEqual([kept])
    await blobs.close()
    await server.stop()
  })

  it('refuses addresses of other databases, and does not repeat them', () => {
    expect(() => postgresBlobs('mysql://user:secret@host/database')).toThrow(
      "The URL of postgresBlobs() must begin with 'postgres://' or 'postgresql://'.",
    )
  })
})

describePgBouncer('postgresBlobs through PgBouncer in transaction mode', () => {
  it('keeps uploads apart that come at the same time', async () => {
    const database = await newDatabase()
    const bouncer = await startPgBouncer(await sharedServer(), 3)
    const stores = [1, 2].map(() =>
      postgresBlobs(bouncer.url(database.name), { preparedStatements: false }),
    )
    await Promise.all(stores.map((blobs) => blobs.open()))
    const sizes = Array.from({ length: 12 }, (_, index) => index * 100_000)
    const keys = await Promise.all(
      sizes.map((size, index) => stores[index % 2]!.write(inPieces(bytesOf(size, index + 1)))),
    )
    await Promise.all(
      keys.map(async (key, index) =>
        expectSame(await readAll(stores[0]!, key), bytesOf(sizes[index]!, index + 1)),
      ),
    )
    await Promise.all(stores.map((blobs) => blobs.close()))
    await bouncer.stop()
    await database.drop()
  }, 120_000)
})
