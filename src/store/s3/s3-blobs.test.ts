import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesOf, inPieces } from '../../../test/support/bytes.ts'
import { type S3Server, s3Server } from '../../../test/support/s3-server.ts'
import {
  Aborted,
  abortedAfter,
  expectSame,
  keysOf,
  readAll,
} from '../../contracts/blob-store/harness.ts'
import { blobStoreContract } from '../../contracts/blob-store-contract.ts'
import type { BlobStore } from '../blob-store.ts'
import { StoreUnavailable } from '../store-failures.ts'
import { type S3BlobsOptions, s3Blobs } from './s3-blobs.ts'

const partBytes = 100_000

function blobsOf(server: S3Server, more: Partial<S3BlobsOptions> = {}): BlobStore {
  const { endpoint, bucket, credentials } = server
  return s3Blobs({ endpoint, bucket, credentials, partBytes, prefix: 'a b/ü&<', ...more })
}

blobStoreContract('s3', async () => {
  const server = await s3Server()
  const blobs = blobsOf(server)
  await blobs.open()
  return {
    blobs,
    chunkBytes: partBytes,
    listFiles: server.listFiles,
    openAgain: async () => blobsOf(server, { credentials: async () => server.credentials }),
    async dispose() {
      await blobs.close()
      await server.close()
    },
  }
})

describe('s3Blobs', () => {
  let server: S3Server

  beforeAll(async () => {
    server = await s3Server()
  })
  afterAll(() => server.close())

  it('uses only the objects with its prefix', async () => {
    const [one, other] = [
      blobsOf(server, { prefix: 'one/' }),
      blobsOf(server, { prefix: 'other/' }),
    ]
    const key = await one.write(inPieces(bytesOf(10)))
    expect(await keysOf(other)).toEqual([])
    expect(await other.read(key)).toBeUndefined()
    await other.delete([key])
    expectSame(await readAll(one, key), bytesOf(10))
    await one.delete([key])
  })

  it('lists uploads that a crash left, over several pages, and deletes them', async () => {
    const crashing: BlobStore = blobsOf(server)
    server.behave((request) => (request.method === 'DELETE' ? 'refuse' : 'serve'))
    const failing = Array.from({ length: 5 }, () =>
      crashing.write(abortedAfter(2 * partBytes, bytesOf(3 * partBytes))),
    )
    for (const outcome of await Promise.allSettled(failing)) expect(outcome.status).toBe('rejected')
    server.behave(() => 'serve')
    const blobs = blobsOf(server)
    const keys = await keysOf(blobs)
    expect(keys.length).toBe(5)
    for (const key of keys) expect(await blobs.read(key)).toBeUndefined()
    await blobs.delete(keys)
    expect(await server.listFiles()).toEqual([])
  })

  it('keeps two parts of a large upload in memory, however large it is', async () => {
    const blobs = blobsOf(server)
    let maxPending = 0
    let parts = 0
    server.behave((request) => {
      if (request.method === 'PUT')
        maxPending = Math.max(maxPending, ++parts - Math.floor(readBytes / partBytes))
      return 'serve'
    })
    let readBytes = 0
    async function* long(): AsyncGenerator<Uint8Array, void> {
      for (let count = 0; count < 200; count++) {
        yield bytesOf(10_000, count)
        readBytes += 10_000
      }
    }
    const key = await blobs.write(long())
    server.behave(() => 'serve')
    expect(parts).toBe(20)
    expect(maxPending).toBeLessThanOrEqual(1)
    await blobs.delete([key])
  })

  it('retries after a 5xx response or a closed connection', async () => {
    for (const behavior of ['refuse', 'hang-up'] as const) {
      let count = 0
      server.behave(() => (count++ % 2 === 0 ? behavior : 'serve'))
      const blobs = blobsOf(server)
      const key = await blobs.write(inPieces(bytesOf(2 * partBytes + 5)))
      expectSame(await readAll(blobs, key), bytesOf(2 * partBytes + 5))
      await blobs.delete([key])
      expect(await keysOf(blobs)).toEqual([])
      server.behave(() => 'serve')
    }
    expect(await server.listFiles()).toEqual([])
  })

  it.each(['refuse', 'hang-up', 'silence'] as const)(
    '4.3: is unavailable while the server responds with %s, never hangs, and then works again at once',
    async (behavior) => {
      const blobs = blobsOf(server, { timeoutMs: 300 })
      const key = await blobs.write(inPieces(bytesOf(50)))
      server.behave(() => behavior)
      const started = performance.now()
      const calls = [
        () => blobs.open(),
        () => blobs.write(inPieces(bytesOf(10))),
        () => blobs.write(inPieces(bytesOf(3 * partBytes))),
        () => blobs.read(key),
        () => blobs.delete([key]),
        () => keysOf(blobs),
      ]
      for (const outcome of await Promise.allSettled(calls.map((call) => call()))) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) })
      }
      expect(performance.now() - started).toBeLessThan(10_000)
      server.behave(() => 'serve')
      expectSame(await readAll(blobs, key), bytesOf(50))
      await blobs.delete(await keysOf(blobs))
      expect(await server.listFiles()).toEqual([])
    },
  )

  it('is unavailable while nobody listens', async () => {
    const gone = await s3Server()
    const blobs = blobsOf(gone)
    await gone.close()
    await expect(blobs.open()).rejects.toThrow(StoreUnavailable)
    await expect(blobs.write(inPieces(bytesOf(10)))).rejects.toThrow(StoreUnavailable)
  })

  it('fails if the server closes the connection during a read', async () => {
    const blobs = blobsOf(server, { timeoutMs: 1_000 })
    // More than the buffers between server and reader hold.
    const key = await blobs.write(inPieces(bytesOf(30_000_000)))
    let closeConnection = () => {}
    server.behave((request) => {
      closeConnection = () => request.socket.destroy()
      return 'serve'
    })
    const readAndClose = async () => {
      for await (const chunk of (await blobs.read(key))!) {
        expect(chunk.length).toBeGreaterThan(0)
        closeConnection()
      }
    }
    await expect(readAndClose()).rejects.toThrow(StoreUnavailable)
    server.behave(() => 'serve')
    await blobs.delete([key])
  })

  it('waits for a reader that is slower than the timeout of the server', async () => {
    const blobs = blobsOf(server, { timeoutMs: 200 })
    const bytes = bytesOf(600_000)
    const key = await blobs.write(inPieces(bytes))
    const parts: Uint8Array[] = []
    for await (const chunk of (await blobs.read(key))!) {
      parts.push(chunk)
      if (parts.length < 3) await new Promise((resolve) => setTimeout(resolve, 400))
    }
    expectSame(Buffer.concat(parts), bytes)
    await blobs.delete([key])
  })

  it('leaves nothing of an upload that is aborted after its first part', async () => {
    const blobs = blobsOf(server)
    await expect(blobs.write(abortedAfter(partBytes + 1, bytesOf(2 * partBytes)))).rejects.toThrow(
      Aborted,
    )
    expect(await server.listFiles()).toEqual([])
  })

  it('reports a wrong bucket and wrong credentials', async () => {
    await expect(blobsOf(server, { bucket: 'nowhere' }).open()).rejects.toThrow(
      "There is no bucket 'nowhere'",
    )
    const strangers = { accessKeyId: 'S3RVER', secretAccessKey: 'wrong' }
    await expect(blobsOf(server, { credentials: strangers }).open()).rejects.toThrow(
      'SignatureDoesNotMatch',
    )
    await expect(
      blobsOf(server, { credentials: strangers }).write(inPieces(bytesOf(1))),
    ).rejects.toThrow('403')
  })
})
