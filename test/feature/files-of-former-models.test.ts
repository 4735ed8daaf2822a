import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type AnyModel, type BlobStore, file, list, model, struct } from 'resourcery'
import { fileBlobs } from 'resourcery/files'
import { memoryBlobs } from 'resourcery/memory'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const title = z.string()
const pages = list(struct({ name: z.string(), scan: file(), back: file() }))
const Before = model('talk', { title, slides: file(), pages })
const Room = model('room', { name: z.string() })
const paths = ['slides', 'pages/0/scan', 'pages/0/back'] as const

/** What models are left, and the files that they do not declare any more. */
const changes: readonly [
  name: string,
  after: readonly AnyModel[],
  undeclared: readonly (typeof paths)[number][],
][] = [
  ['a file field that was removed', [model('talk', { title, pages }), Room], ['slides']],
  ['fields of a model that has no files any more', [model('talk', { title }), Room], paths],
  [
    'files in a field that has none any more',
    [
      model('talk', { title, slides: file(), pages: z.array(z.object({ name: z.string() })) }),
      Room,
    ],
    ['pages/0/scan', 'pages/0/back'],
  ],
  [
    'one of several files in a field',
    [
      model('talk', {
        title,
        slides: file(),
        pages: list(struct({ name: z.string(), scan: file() })),
      }),
      Room,
    ],
    ['pages/0/back'],
  ],
  ['a model that was removed', [Room], paths],
]

const folders: string[] = []
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

/** Each call of what it returns is a process that starts on the same blobs. */
const blobStores: readonly [name: string, make: () => Promise<() => BlobStore>][] = [
  [
    'memory',
    async () => {
      const blobs = memoryBlobs()
      return () => ({ ...blobs })
    },
  ],
  [
    'files',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'resourcery-files-'))
      folders.push(folder)
      return () => fileBlobs(folder)
    },
  ],
]

describe.each(stores)('The bytes of former models, on $name', ({ name: storeName, makeData }) => {
  describe.each(blobStores)('in %s', (_, makeBlobs) => {
    const data = async () => {
      const newStore = await makeData()
      const newBlobs = await makeBlobs()
      const run = async <T>(
        models: readonly AnyModel[],
        work: (router: ReturnType<typeof service>['router']) => Promise<T>,
        isOpen = true,
      ): Promise<T> => {
        const { router } = service(newStore(), models, { blobs: newBlobs() })
        try {
          if (isOpen) await router.open()
          return await work(router)
        } finally {
          if (isOpen) await router.close()
        }
      }
      await run([Before, Room], async (router) => {
        await router.load(Before, [
          { id: 't', title: 'T', pages: [{ name: 'one' }] },
          { id: 'u', title: 'U', pages: [] },
        ])
        for (const path of paths)
          await router
            .items(Before)
            .setResource('t', path, { bytes: Buffer.from(path), contentType: 'text/plain' })
      })
      // A sweep leaves bytes that are as young as itself.
      await wait(10)
      return run
    }
    const read = async (
      router: ReturnType<typeof service>['router'],
      path: (typeof paths)[number],
    ) => {
      const resource = await router.items(Before).readResource('t', path)
      const chunks: Uint8Array[] = []
      for await (const chunk of resource?.bytes ?? []) chunks.push(chunk)
      return Buffer.concat(chunks).toString()
    }

    it.each(changes)('are kept for %s', async (_, after) => {
      const run = await data()
      expect(await run(after, (router) => router.sweep(0))).toBe(0)
      await run([Before, Room], async (router) => {
        for (const path of paths) expect(await read(router, path)).toBe(path)
      })
    })

    const wholeMembers = changes.filter(([, , undeclared]) => undeclared.includes('slides'))
    it.skipIf(storeName === 'the memory store').each(wholeMembers)(
      'are deleted after a prune of %s',
      async (_, after, undeclared) => {
        const run = await data()
        await run(after, async () => undefined)
        const pruned = await run(after, (router) => router.prune({ drops: true }), false)
        expect(pruned?.length).toBeGreaterThan(0)
        expect(await run(after, (router) => router.sweep(0))).toBe(undeclared.length)
      },
    )
  })
})
