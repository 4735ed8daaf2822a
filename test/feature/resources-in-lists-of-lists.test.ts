import { createRouter, file, image, list, model, printRules, struct } from 'resourcery'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { png } from '../support/resources.ts'
import { stores } from '../support/stores.ts'

const Atlas = model(
  'atlas',
  {
    volumes: list(
      struct({
        name: z.string(),
        plates: list(
          struct({ title: z.string().optional(), scan: image(), back: struct({ text: file() }) }),
        ),
      }),
    ),
  },
  { plural: 'atlases' },
)

describe.each(stores)('Binary resources in lists of lists, on $name', ({ make }) => {
  async function atlas() {
    const blobs = memoryBlobs()
    const router = createRouter({ policy: rest(), store: await make(), blobs })
    router.prepare(Atlas)
    const plates = [{ back: {} }, { title: 'two', back: {} }]
    await router.load(Atlas, [
      {
        id: 'a',
        volumes: [
          { name: 'I', plates: [] },
          { name: 'II', plates },
        ],
      },
    ])
    const sendRequest = (
      method: string,
      path: string,
      type?: string,
      body?: Uint8Array<ArrayBuffer> | string,
    ) =>
      router.handle(
        new Request(`http://h/atlases/a${path}`, {
          method,
          ...(type && body && { headers: { 'content-type': type }, body }),
        }),
      )
    return { router, ask: sendRequest }
  }

  it('have an index for each level in their path', async () => {
    const { router, ask } = await atlas()
    expect(printRules(router.rules)).toContain('/atlases/:id/volumes/:index/plates/:index2/scan')
    const scan = '/volumes/1/plates/1/scan'
    const text = '/volumes/1/plates/0/back/text'
    expect((await ask('POST', scan, 'image/png', png(1))).status).toBe(200)
    expect((await ask('POST', text, 'text/plain', 'verso')).status).toBe(200)
    for (const path of [
      '/volumes/0/plates/0/scan',
      '/volumes/1/plates/2/scan',
      '/volumes/2/plates/0/scan',
      '/volumes/1/plates/x/scan',
    ])
      expect([(await ask('POST', path, 'image/png', png(1))).status, path]).toEqual([404, path])
    expect(Buffer.from(await (await ask('GET', scan)).arrayBuffer())).toEqual(Buffer.from(png(1)))
    expect(await (await ask('GET', text)).text()).toBe('verso')
  })

  it('stay with their element when a client reverses the lists', async () => {
    const { ask } = await atlas()
    await ask('POST', '/volumes/1/plates/1/scan', 'image/png', png(1))
    await ask('POST', '/volumes/1/plates/0/back/text', 'text/plain', 'verso')
    const { atlas: stored } = (await (await ask('GET', '')).json()) as {
      atlas: { volumes: readonly { name: string; plates: readonly object[] }[] }
    }
    const volumes = stored.volumes
      .toReversed()
      .map((volume) => ({ ...volume, plates: volume.plates.toReversed() }))
    const changed = await ask(
      'PATCH',
      '',
      'application/json',
      JSON.stringify({ atlas: { volumes } }),
    )
    expect(changed.status).toBe(200)
    expect(Buffer.from(await (await ask('GET', '/volumes/0/plates/0/scan')).arrayBuffer())).toEqual(
      Buffer.from(png(1)),
    )
    expect(await (await ask('GET', '/volumes/0/plates/1/back/text')).text()).toBe('verso')
  })
})
