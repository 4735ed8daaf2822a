import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { startBookstore } from '../support/bookstore-process.ts'
import { png, sha256 } from '../support/resources.ts'

/** KILLS=100 for the long form. */
const kills = Number(process.env.KILLS ?? 2)
const writers = 6
/** Uploads that are acknowledged before the service is killed. */
const leastUploads = 40
const folder = mkdtempSync(join(tmpdir(), 'killed-uploads-'))
const BLOBS_DIR = join(folder, 'blobs')
const environment = { DATABASE_URL: `sqlite:${join(folder, 'bookstore.db')}`, BLOBS_DIR, SEED: '0' }

afterAll(() => rmSync(folder, { recursive: true }))

/**
 * The hashes of a writer's uploads: the last acknowledged one, and one that was without a response.
 */
interface Upload {
  acknowledged: string | undefined
  unanswered: string | undefined
}

it(
  '4.3, M14: a service that is killed during uploads keeps every acknowledged upload, and after a restart no other blob',
  async () => {
    const states = new Map<string, Upload>()
    for (let kill = 0; kill < kills; kill++) {
      const bookstore = await startBookstore(environment)
      let uploads = 0
      const writing = Array.from({ length: writers }, async (_, writer) => {
        const id = `a-${writer}`
        await fetch(
          `${bookstore.address}/api/authors`,
          jsonOf('POST', { author: { id, name: id } }),
        )
        for (let round = 0; ; round++) {
          const bytes = png(
            kill * 10_000 + writer * 1_000 + round,
            500 + Math.floor(Math.random() * 300_000),
          )
          const one = states.get(id) ?? { acknowledged: undefined, unanswered: undefined }
          states.set(id, one)
          one.unanswered = sha256(bytes)
          try {
            const headers = { 'content-type': 'image/png' }
            const { status } = await fetch(portrait(bookstore.address, id), {
              method: 'POST',
              headers,
              body: bytes,
            })
            expect(status).toBe(200)
          } catch (error) {
            if (error instanceof TypeError) return
            throw error
          }
          one.acknowledged = one.unanswered
          one.unanswered = undefined
          uploads++
        }
      })
      while (uploads < leastUploads)
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 10))
      await bookstore.stop('SIGKILL')
      await Promise.all(writing)

      const again = await startBookstore({ ...environment, BLOB_GRACE_MS: '1' })
      for (const [id, { acknowledged, unanswered }] of states) {
        const response = await fetch(portrait(again.address, id))
        if (acknowledged === undefined && response.status === 404) continue
        expect(response.status, `${id} has an upload that was acknowledged`).toBe(200)
        const hash = sha256(new Uint8Array(await response.arrayBuffer()))
        expect([acknowledged, unanswered]).toContain(hash)
        expect(response.headers.get('etag')).toBe(`"${hash}"`)
        // An unanswered upload that was stored after all counts from now on.
        states.set(id, { acknowledged: hash, unanswered: undefined })
      }
      const acknowledgedCount = [...states.values()].filter(
        (entry) => entry.acknowledged !== undefined,
      ).length
      await expect
        .poll(() => filesIn(BLOBS_DIR).length, { timeout: 10_000 })
        .toBe(acknowledgedCount)
      expect(await again.stop()).toBe(0)
    }
  },
  60_000 + kills * 15_000,
)

function portrait(address: string, id: string): string {
  return `${address}/api/authors/${id}/portrait`
}

function jsonOf(method: string, body: object): RequestInit {
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
}
